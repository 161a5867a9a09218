import type { Family, HistogramSample, Labels, Sample, Snapshot } from "./Family.ts"

/** The media type of the text below. */
export const contentType = "text/plain; version=0.0.4; charset=utf-8"

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
const escapeValue = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

const number = (value: number | string): string =>
  value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)

const pairs = (labels: Labels): Array<string> => {
  const found: Array<string> = []
  for (const name in labels) found.push(`${name}="${escapeValue(labels[name] ?? "")}"`)
  return found
}

const braced = (pairs: ReadonlyArray<string>): string => (pairs.length === 0 ? "" : `{${pairs.join(",")}}`)

const plainLine = (name: string, { labels, value }: Sample): string =>
  `${name}${braced(pairs(labels))} ${number(value)}\n`

const histogramLines = (
  name: string,
  bounds: ReadonlyArray<number>,
  { counts, labels, sum }: HistogramSample
): string => {
  const own = pairs(labels)
  const prefix = `${name}_bucket{${own.map((pair) => `${pair},`).join("")}le="`
  let total = 0
  let text = ""
  for (let i = 0; i <= bounds.length; i++) {
    total += counts[i] ?? 0
    text += `${prefix}${number(bounds[i] ?? Infinity)}"} ${total}\n`
  }
  const rest = braced(own)
  return `${text}${name}_sum${rest} ${number(sum)}\n${name}_count${rest} ${total}\n`
}

/** How many series are rendered in one step of the event loop. */
const perPiece = 64

const linesOf = (family: Family, from: number): string => {
  let text = ""
  if (family.type === "histogram") {
    for (const sample of family.samples.slice(from, from + perPiece)) {
      text += histogramLines(family.name, family.bounds, sample)
    }
  } else {
    for (const sample of family.samples.slice(from, from + perPiece)) text += plainLine(family.name, sample)
  }
  return text
}

/** The text in pieces, so that who renders it can let others run in between. */
export function* pieces(snapshot: Snapshot): Generator<string> {
  for (const family of snapshot) {
    yield `# HELP ${family.name} ${escapeHelp(family.help)}\n# TYPE ${family.name} ${family.type}\n`
    for (let from = 0; from < family.samples.length; from += perPiece) yield linesOf(family, from)
  }
}

/** Prometheus's text format. */
export const render = (snapshot: Snapshot): string => [...pieces(snapshot)].join("")
