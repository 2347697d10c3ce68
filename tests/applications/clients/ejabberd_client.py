# Clients of ejabberd: CERTIFICATE all PORT PORT | refused PORT | mqtt PORT.
# Says what went wrong and ends with 1, or with 0.
import asyncio, os, ssl, sys
import mqtt_client

certificate, what, *ports = sys.argv[1:]
ports = [int(p) for p in ports]


if what == 'mqtt':
    mqtt_client.exchange('127.0.0.1', *ports, b'a@localhost', b'secret-a', 20)
    sys.exit(0)

import slixmpp


class Client(slixmpp.ClientXMPP):
    def __init__(self, name, port, password=None):
        super().__init__(f'{name}@localhost/{name}', password or f'secret-{name}')
        self.port, self.got, self.rooms = port, asyncio.Queue(), asyncio.Queue()
        self.ready, self.failed = asyncio.Event(), asyncio.Event()
        self.ca_certs = certificate
        for p in ('xep_0030', 'xep_0045', 'xep_0060', 'xep_0199', 'xep_0313', 'xep_0054'):
            self.register_plugin(p)
        self.add_event_handler('session_start', lambda _: self.ready.set())
        self.add_event_handler('failed_auth', lambda _: self.failed.set())
        self.add_event_handler('message', lambda m: self.got.put_nowait(m) if m['type'] in ('chat', 'normal') else None)
        self.add_event_handler('groupchat_message', self.rooms.put_nowait)

    async def start(self, available=True):
        self.connect(('127.0.0.1', self.port), force_starttls=True)
        await asyncio.wait_for(self.ready.wait(), 20)
        assert isinstance(self.transport.get_extra_info('ssl_object'), (ssl.SSLObject, ssl.SSLSocket)), 'no TLS'
        if available:
            self.send_presence()
            await self.get_roster()

    async def next(self, queue=None):
        return await asyncio.wait_for((queue or self.got).get(), 20)


async def all_of_it():
    a, b = Client('a', ports[0]), Client('b', ports[1])
    await a.start()
    await b.start()
    for k in range(300):
        a.send_message(mto='b@localhost', mbody=f'message {k} é', mtype='chat')
    for k in range(300):
        m = await b.next()
        assert m['body'] == f'message {k} é' and m['from'].bare == 'a@localhost', m
    b.send_message(mto='a@localhost', mbody='x' * 50000, mtype='chat')
    assert (await a.next())['body'] == 'x' * 50000
    await b['xep_0199'].ping('localhost', timeout=20)
    # A ring: each passes on to the next.
    c, d = Client('c', ports[0]), Client('d', ports[1])
    await c.start()
    await d.start()
    ring = [a, b, c, d]
    a.send_message(mto='b@localhost', mbody='0', mtype='chat')
    for k in range(1, 41):
        m = await ring[k % 4].next()
        assert m['body'] == str(k - 1), m
        if k < 40:
            ring[k % 4].send_message(mto=f'{"abcd"[(k + 1) % 4]}@localhost', mbody=str(k), mtype='chat')
    # A room.
    room = f'room{ports[0]}{ports[1]}@conference.localhost'
    for who in (a, b):
        await who['xep_0045'].join_muc_wait(room, who.boundjid.user, timeout=20, maxstanzas=0)
        if who is a:
            await a['xep_0045'].set_room_config(room, await a['xep_0045'].get_room_config(room))
    for k in range(20):
        a.send_message(mto=room, mbody=f'said {k}', mtype='groupchat')
    for who in (a, b):
        seen = []
        while len(seen) < 20:
            m = await who.next(who.rooms)
            if m['body']:
                seen.append(m['body'])
        assert seen == [f'said {k}' for k in range(20)], seen
    # Offline messages.
    await b.disconnect()
    for _ in range(100):
        if not b.is_connected():
            break
        await asyncio.sleep(0.1)
    await asyncio.sleep(1)
    for k in range(10):
        a.send_message(mto='b@localhost', mbody=f'later {k}', mtype='chat')
    await asyncio.sleep(1)
    b = Client('b', ports[1])
    await b.start()
    assert [(await b.next())['body'] for _ in range(10)] == [f'later {k}' for k in range(10)]
    # The archive, a node of pubsub, a card.
    archive = await a['xep_0313'].retrieve(with_jid=slixmpp.JID('b@localhost'), rsm={'max': 10}, timeout=20)
    assert len(archive['mam']['results']) > 0
    node = f'node{os.getpid()}'
    pubsub = c['xep_0060']
    await pubsub.create_node('pubsub.localhost', node, timeout=20)
    item = slixmpp.xmlstream.ET.Element('{urn:test}x')
    item.text = 'published'
    await pubsub.publish('pubsub.localhost', node, id='1', payload=item, timeout=20)
    items = await d['xep_0060'].get_items('pubsub.localhost', node, timeout=20)
    assert items['pubsub']['items']['item']['payload'].text == 'published'
    await pubsub.delete_node('pubsub.localhost', node, timeout=20)
    for who in (a, b, c, d):
        await who.disconnect()


async def refused():
    a = Client('a', ports[0], 'wrong')
    a.connect(('127.0.0.1', a.port), force_starttls=True)
    await asyncio.wait_for(a.failed.wait(), 20)


asyncio.get_event_loop().run_until_complete(asyncio.wait_for(refused() if what == 'refused' else all_of_it(), 90))
os._exit(0)
