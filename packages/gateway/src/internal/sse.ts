// Splits server-sent events and reads their data. https://html.spec.whatwg.org/multipage/server-sent-events.html

const lineFeed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const colon = 0x3a

/**
 * Finds where events end in each chunk. A comment before an event and a lone blank line end like events, so that neither is
 * held back. A line feed whose carriage return ended the chunk before is an end of its own.
 */
export const eventEnds = (): ((chunk: Uint8Array) => ReadonlyArray<number>) => {
  let first = true
  let blank = true
  let comment = false
  let afterReturn = false
  return (chunk) => {
    const ends: Array<number> = []
    let at = 0
    if (afterReturn && chunk.length > 0) {
      afterReturn = false
      if (chunk[0] === lineFeed) {
        at = 1
        if (first && blank) ends.push(1)
      }
    }
    let feed = chunk.indexOf(lineFeed, at)
    let back = chunk.indexOf(carriageReturn, at)
    while (at < chunk.length) {
      if (first && blank) comment = chunk[at] === colon
      if (feed !== -1 && feed < at) feed = chunk.indexOf(lineFeed, at)
      if (back !== -1 && back < at) back = chunk.indexOf(carriageReturn, at)
      const end = feed === -1 || (back !== -1 && back < feed) ? back : feed
      if (end === -1) {
        blank = false
        break
      }
      const ended = comment || (blank && end === at)
      at = end + 1
      if (end === back) {
        if (at === chunk.length) afterReturn = true
        else if (chunk[at] === lineFeed) at++
      }
      blank = true
      first = ended
      if (ended) ends.push(at)
    }
    return ends
  }
}

/** The data of an event, from `from` to `to`. `bytes` is a copy if the data is on several lines. */
export interface Event {
  readonly bytes: Uint8Array
  readonly from: number
  readonly to: number
  /** The event is named `error`. */
  readonly isError: boolean
}

const data = [0x64, 0x61, 0x74, 0x61]
const event = [0x65, 0x76, 0x65, 0x6e, 0x74]
const error = [0x65, 0x72, 0x72, 0x6f, 0x72]

const startsWith = (bytes: Uint8Array, from: number, text: ReadonlyArray<number>): boolean => {
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text[i]) return false
  return true
}

/** Where the value of the field starts; -1 if the line has another field. */
const valueOf = (bytes: Uint8Array, from: number, end: number, field: ReadonlyArray<number>): number => {
  const at = from + field.length
  if (at > end || !startsWith(bytes, from, field)) return -1
  if (at === end) return end
  if (bytes[at] !== colon) return -1
  return at + 1 < end && bytes[at + 1] === space ? at + 2 : at + 1
}

const join = (bytes: Uint8Array, lines: ReadonlyArray<readonly [number, number]>): Uint8Array => {
  const out = new Uint8Array(lines.reduce((size, [from, to]) => size + to - from + 1, -1)).fill(lineFeed)
  let at = 0
  for (const [from, to] of lines) {
    out.set(bytes.subarray(from, to), at)
    at += to - from + 1
  }
  return out
}

/** Up to this length a loop is faster than `indexOf`. */
const shortLine = 1_024

/** Where the line ends that has no line break before `from`. */
const lineEnd = (bytes: Uint8Array, from: number): number => {
  const feed = bytes.indexOf(lineFeed, from)
  const end = feed === -1 ? bytes.length : feed
  const back = bytes.subarray(from, end).indexOf(carriageReturn)
  return back === -1 ? end : from + back
}

/** Reads one event. `undefined`: it has no data. */
export const eventAt = (bytes: Uint8Array, from: number, to: number): Event | undefined => {
  let at = bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf ? from + 3 : from
  let isError = false
  const lines: Array<readonly [number, number]> = []
  while (at < to) {
    let end = at
    const near = Math.min(at + shortLine, to)
    while (end < near && bytes[end] !== lineFeed && bytes[end] !== carriageReturn) end++
    if (end === near) end = lineEnd(bytes.subarray(0, to), end)
    const start = valueOf(bytes, at, end, data)
    if (start !== -1) lines.push([start, end])
    else {
      const name = valueOf(bytes, at, end, event)
      if (name !== -1) isError = end - name === error.length && startsWith(bytes, name, error)
    }
    at = end + 1
  }
  const [line, another] = lines
  if (line === undefined) return undefined
  if (another === undefined) return { bytes, from: line[0], to: line[1], isError }
  const joined = join(bytes, lines)
  return { bytes: joined, from: 0, to: joined.length, isError }
}
