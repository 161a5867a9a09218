/** One segment of a path pattern. */
export interface SegmentPattern {
  /** Equal for segments that match the same text, whatever their parameters are called. */
  readonly shape: string
  /** The text itself, if the segment has no parameter. */
  readonly literal: string | undefined
  /** The names of its parameters, in order. */
  readonly names: ReadonlyArray<string>
  /** How much of the segment is fixed text. */
  readonly fixed: number
  /** The values of the parameters, as written. `undefined`: the segment does not match. */
  readonly values: (segment: string) => ReadonlyArray<string> | undefined
}

/**
 * More fixed text comes first, then more parameters, which need a character each. Shapes that still tie are in the order of
 * their text, so that a match does not depend on the order of the patterns.
 */
export const bySpecificity = (a: SegmentPattern, b: SegmentPattern): number =>
  b.fixed - a.fixed || b.names.length - a.names.length || (a.shape < b.shape ? -1 : a.shape > b.shape ? 1 : 0)

/** Each parameter takes as little as it can, but a character at least. Linear: what a match needs follows from the left. */
const valuesBetween =
  (texts: ReadonlyArray<string>): SegmentPattern["values"] =>
  (segment) => {
    const first = texts[0] ?? ""
    const last = texts.at(-1) ?? ""
    const end = segment.length - last.length
    if (!segment.startsWith(first) || !segment.endsWith(last)) return undefined
    const values: Array<string> = []
    let from = first.length
    for (let i = 1; i < texts.length - 1; i++) {
      const text = texts[i] ?? ""
      const at = segment.indexOf(text, from + 1)
      if (at === -1) return undefined
      values.push(segment.slice(from, at))
      from = at + text.length
    }
    if (from >= end) return undefined
    values.push(segment.slice(from, end))
    return values
  }

const segmentOf = (texts: ReadonlyArray<string>, names: ReadonlyArray<string>): SegmentPattern => {
  const text = texts.join("{}")
  return {
    shape: text,
    literal: names.length === 0 ? text : undefined,
    names,
    fixed: texts.reduce((sum, text) => sum + text.length, 0),
    values: valuesBetween(texts)
  }
}

/** The segments of a path such as `/v1/models/{model}:generateContent`, with an empty one first. */
export const segmentsOf = (path: string): ReadonlyArray<SegmentPattern> => {
  const segments: Array<SegmentPattern> = []
  let texts = [""]
  let names: Array<string> = []
  path.split(/\{([^}]+)\}/).forEach((part, i) => {
    if (i % 2 === 1) {
      names.push(part)
      texts.push("")
      return
    }
    const [first = "", ...more] = part.split("/")
    texts[texts.length - 1] += first
    for (const text of more) {
      segments.push(segmentOf(texts, names))
      texts = [text]
      names = []
    }
  })
  segments.push(segmentOf(texts, names))
  return segments
}
