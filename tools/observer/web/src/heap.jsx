// What a process' memory is used for, drawn to scale.
import { useState } from "preact/hooks";
import { useObserver } from "./hooks.js";
import { bytes, count, grouped } from "./units.js";

const WORD = 8;

/** A block with its used part; as wide as its share of the largest. */
function Block({ name, used, size, most, parts, note }) {
  return (
    <div class="block">
      <small>{name}</small>
      <div class="room" style={{ width: `${Math.max(1, (size / most) * 100)}%` }}>
        {parts.map(([tone, words, what]) => (
          <i class={tone} style={{ width: `${size ? (words / size) * 100 : 0}%` }} title={`${what}: ${bytes(words * WORD)}`} />
        ))}
      </div>
      <span>
        {bytes(used * WORD)}
        {size > used && <small> of {bytes(size * WORD)}</small>}
        {note && <small>, {note}</small>}
      </span>
    </div>
  );
}

/** Those of one size, of which as much is used, are one. */
function grouped_by_size(binaries) {
  const groups = new Map();
  for (const b of binaries) {
    const key = `${b.bytes}/${b.used}`;
    if (groups.has(key)) groups.get(key).times++;
    else groups.set(key, { ...b, times: 1 });
  }
  return [...groups.values()].sort((a, b) => b.bytes * b.times - a.bytes * a.times);
}

/** Binaries outside of the heap; a click asks who else holds one. */
function Binaries({ binaries, pid }) {
  const { link, openProcess } = useObserver();
  const [of, set] = useState(null);
  const ask = (b) => link.ask({ do: "holders", binary: b.id, pid }).then((found) => set({ ...found, id: b.id }), () => set(null));
  return (
    <>
      <div class="binaries">
        {grouped_by_size(binaries).slice(0, 60).map((b) => (
          <button class={of?.id === b.id ? "on" : ""} title={`${b.id}, ${b.holders} references: who holds it?`} onClick={() => ask(b)}>
            {b.times > 1 && `${b.times} of `}{bytes(b.bytes)}
            {b.used < b.bytes && <small>, {bytes(b.used)} used</small>}
            {b.holders > 1 && <small> ×{b.holders}</small>}
          </button>
        ))}
      </div>
      {of && (
        <p class="note holders">
          held by{" "}
          {of.rows.map((r) => (
            <span>
              <a onClick={() => openProcess(r.pid)}>{r.pid}</a> {r.name} ×{r.times};{" "}
            </span>
          ))}
          asked were the {grouped(of.asked)} largest of {grouped(of.processes)} processes
        </p>
      )}
    </>
  );
}

export function HeapPicture({ heap: h, pid }) {
  if (!h) return null;
  const most = Math.max(h.young_words, h.old_words, h.fragment_words, h.off_heap_words + h.old_off_heap_words, 1);
  const youngest = h.young_used - h.survived_once;
  const off = h.off_heap_words + h.old_off_heap_words;
  return (
    <div class="heap">
      <Block name="young" used={h.young_used + h.stack_words} size={h.young_words} most={most} note={`${bytes(h.survived_once * WORD)} survived once`}
        parts={[["fill-2", h.survived_once, "survived one collection"], ["fill-1", youngest, "new"], ["gap", h.young_words - h.young_used - h.stack_words, "free"], ["fill-5", h.stack_words, "stack"]]} />
      <Block name="old" used={h.old_used} size={h.old_words} most={most} parts={[["fill-3", h.old_used, "old"]]} note={`${h.minor_since_major} minor since the last major`} />
      {h.fragment_words > 0 && <Block name="fragments" used={h.fragment_words} size={h.fragment_words} most={most} parts={[["fill-4", h.fragment_words, "messages not merged yet"]]} />}
      <Block name="off heap" used={off} size={off} most={most} parts={[["fill-6", h.off_heap_words, "binaries of the young"], ["fill-6 soft", h.old_off_heap_words, "binaries of the old"]]}
        note={h.off_heap_limit && `collects at ${bytes(h.off_heap_limit * WORD)}`} />
      {h.words_copied != null && (
        <p class="note">
          {count(h.words_copied)} words copied, {count(h.words_reclaimed)} freed by {count(h.collections)} collections
        </p>
      )}
      {h.binaries?.length > 0 && (
        <>
          <h4>
            binaries <span class="note">{bytes(h.binary_bytes)} in {h.binaries.length}{h.more_binaries ? " and more" : ""}</span>
          </h4>
          <Binaries binaries={h.binaries} pid={pid} />
        </>
      )}
    </div>
  );
}
