# Clients of RabbitMQ: CERTIFICATE amqp PORT | tls PORT | stomp PORT | mqtt PORT | shovel PORT | leader DIRECTORY PORT PORT PORT.
# Says what went wrong and ends with 1, or with 0.
import os, signal, socket, ssl, sys, time
import mqtt_client, pika

certificate, what, *rest = sys.argv[1:]


def connect(port, tls=False):
    options = None
    if tls:
        options = pika.SSLOptions(ssl.create_default_context(cafile=certificate), 'localhost')
    return pika.BlockingConnection(pika.ConnectionParameters('localhost', port, ssl_options=options, socket_timeout=20,
                                                             heartbeat=60, blocked_connection_timeout=60))


def publish(channel, queue, texts):
    for t in texts:
        channel.basic_publish('', queue, t.encode(), pika.BasicProperties(delivery_mode=2), mandatory=True)


def take(channel, queue, n):
    got = []
    for method, _, body in channel.consume(queue, inactivity_timeout=30):
        assert method, f'{len(got)} of {n}'
        channel.basic_ack(method.delivery_tag)
        got.append(body.decode())
        if len(got) == n:
            break
    channel.cancel()
    return got


def amqp(port, tls=False):
    c = connect(port, tls)
    ch = c.channel()
    ch.confirm_delivery()
    for kind in ('classic', 'quorum'):
        q = f'{kind}{os.getpid()}'
        ch.queue_declare(q, durable=True, arguments={'x-queue-type': kind})
        texts = [f'{kind} {k}' for k in range(500)] + ['x' * 300000]
        publish(ch, q, texts)
        assert take(ch, q, len(texts)) == texts
    q = f'stream{os.getpid()}'
    ch.queue_declare(q, durable=True, arguments={'x-queue-type': 'stream'})
    texts = [f'event {k}' for k in range(300)]
    publish(ch, q, texts)
    for _ in range(2):  # a stream is read as often as one likes
        reader = c.channel()
        reader.basic_qos(prefetch_count=100)
        got = []
        for method, _, body in reader.consume(q, arguments={'x-stream-offset': 'first'}, inactivity_timeout=30):
            assert method, f'{len(got)} of the stream'
            reader.basic_ack(method.delivery_tag)
            got.append(body.decode())
            if len(got) == len(texts):
                break
        assert got == texts
        reader.close()
    ch.exchange_declare('topics', 'topic')
    ch.queue_declare('topical', exclusive=True)
    ch.queue_bind('topical', 'topics', 'a.*.c')
    for key in ('a.b.c', 'a.b', 'a.x.c', 'b.b.c'):
        ch.basic_publish('topics', key, key.encode())
    assert take(ch, 'topical', 2) == ['a.b.c', 'a.x.c']
    c.close()


def stomp(port):
    s = socket.create_connection(('localhost', port), timeout=30)
    f = s.makefile('rb')
    def frame():
        lines = []
        while True:
            line = f.readline()
            if line in (b'\n', b'\r\n'):
                if lines: break
                continue
            lines.append(line.decode().strip())
        body = b''
        while (b := f.read(1)) != b'\0': body += b
        return lines[0], dict(l.split(':', 1) for l in lines[1:]), body
    s.sendall(b'CONNECT\naccept-version:1.2\nlogin:guest\npasscode:guest\nhost:/\n\n\0')
    assert frame()[0] == 'CONNECTED'
    s.sendall(b'SUBSCRIBE\nid:1\ndestination:/queue/stomped\nack:client\n\n\0')
    for k in range(200):
        s.sendall(b'SEND\ndestination:/queue/stomped\nreceipt:r%d\n\ntext %d\0' % (k, k))
    texts, receipts = [], 0
    while len(texts) < 200 or receipts < 200:
        kind, headers, body = frame()
        if kind == 'MESSAGE':
            texts.append(body)
            s.sendall(b'ACK\nid:%s\n\n\0' % headers['ack'].encode())
        else:
            assert kind == 'RECEIPT', (kind, headers, body)
            receipts += 1
    assert texts == [b'text %d' % k for k in range(200)]


def shovel(port):
    c = connect(port)
    ch = c.channel()
    ch.confirm_delivery()
    ch.queue_declare('from', durable=True)
    ch.queue_declare('to', durable=True)
    texts = [f'shovelled {k}' for k in range(200)]
    publish(ch, 'from', texts)
    assert take(ch, 'to', len(texts)) == texts


def leader(directory, *ports):
    c = connect(ports[0])
    ch = c.channel()
    ch.confirm_delivery()
    ch.queue_declare('led', durable=True, arguments={'x-queue-type': 'quorum', 'x-quorum-initial-group-size': 3})
    time.sleep(2)
    # Published by way of another broker, so that the connection outlives the leader's.
    confirmed, k = [], 0
    other, och = None, None
    while len(confirmed) < 400:
        if och is None:
            try:
                other = connect(ports[1 + k % 2] if len(confirmed) >= 100 else ports[1])
                och = other.channel()
                och.confirm_delivery()
            except Exception:
                time.sleep(0.3)
                k += 1
                continue
        try:
            publish(och, 'led', [f'{k}'])
            confirmed.append(f'{k}')
        except Exception:
            och = None
        k += 1
        if len(confirmed) == 100 and not os.path.exists(directory + '/killed'):
            os.kill(int(open(directory + '/1.pid').read()), signal.SIGKILL)  # where it was declared
            open(directory + '/killed', 'w').write('1')
    final = connect(ports[2]).channel()
    seen = set()
    for method, _, body in final.consume('led', inactivity_timeout=20):
        if not method: break
        final.basic_ack(method.delivery_tag)
        seen.add(body.decode())
        if set(confirmed) <= seen: break
    lost = [x for x in confirmed if x not in seen]
    assert not lost, f'lost {lost[:10]} of {len(confirmed)}'


{'amqp': lambda p: amqp(int(p)), 'tls': lambda p: amqp(int(p), True), 'stomp': lambda p: stomp(int(p)),
 'mqtt': lambda p: mqtt_client.exchange('localhost', int(p), b'guest', b'guest', 30), 'shovel': lambda p: shovel(int(p)),
 'leader': lambda d, *ps: leader(d, *[int(p) for p in ps])}[what](*rest)
