/** What a box stands for: a part of Tollgate, something outside of it, money that is taken, something to look at. */
type Tone = "own" | "plain" | "paid" | "warn"

type Point = readonly [x: number, y: number]

interface Box {
  readonly left: Point
  readonly right: Point
  readonly top: Point
  readonly bottom: Point
}

interface Shape {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Options {
  /** The name of its file. */
  readonly name: string
  readonly title: string
  readonly width: number
  readonly height: number
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The colors of the site, light and dark. The picture has a ground of its own, so it can be read on any page. */
const style = `
    svg { --ground: #fff; --area: #f7f8fa; --line: #b4bcc6; --text: #15191e; --soft: #535c68; --own: #e3f1ef; --own-line: #0b8174;
      --paid: #0b6158; --paid-text: #fff; --warn: #fff6e3; --warn-line: #b98a2c; font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
    @media (prefers-color-scheme: dark) {
      svg { --ground: #1a1f26; --area: #141920; --line: #56616f; --text: #e9edf2; --soft: #a3adba; --own: #12302d; --own-line: #4fc7b8;
        --paid: #4fc7b8; --paid-text: #062320; --warn: #2c2413; --warn-line: #b98a2c }
    }
    .ground { fill: var(--ground) }
    .area { fill: var(--area); stroke: var(--line) }
    .plain rect { fill: var(--ground); stroke: var(--line) }
    .own rect { fill: var(--own); stroke: var(--own-line) }
    .paid rect { fill: var(--paid) }
    .warn rect { fill: var(--warn); stroke: var(--warn-line) }
    .paid text { fill: var(--paid-text) }
    text { fill: var(--text); font-size: 13px }
    .title { font-size: 15px; font-weight: 600 }
    .label, .name { fill: var(--soft) }
    .name { font-weight: 600 }
    path { fill: none; stroke: var(--soft); stroke-width: 1.5 }
    .life { stroke: var(--line); stroke-width: 1 }
    .dashed { stroke-dasharray: 5 4 }
    marker path { fill: var(--soft); stroke: none }
  `

const lineHeight = 19

/** A drawing of boxes and arrows. `test pictures` checks that its texts fit. */
export class Picture {
  readonly name: string
  readonly #options: Options
  readonly #areas: Array<string> = []
  readonly #arrows: Array<string> = []
  readonly #boxes: Array<string> = []

  constructor(options: Options) {
    this.name = options.name
    this.#options = options
  }

  /** Things that belong together. */
  area({ height, width, x, y }: Shape, name: string): this {
    this.#areas.push(
      `<rect class="area" x="${x}" y="${y}" width="${width}" height="${height}" rx="14"/>`,
      `<text class="name" x="${x + 14}" y="${y + 22}">${escape(name)}</text>`
    )
    return this
  }

  box({ height, width, x, y }: Shape, tone: Tone, title: string, ...lines: ReadonlyArray<string>): Box {
    const first = y + height / 2 - (lines.length * lineHeight) / 2 + 5
    const texts = [title, ...lines].map(
      (line, i) =>
        `<text${i === 0 ? ' class="title"' : ""} x="${x + width / 2}" y="${first + i * lineHeight}" text-anchor="middle">${escape(line)}</text>`
    )
    this.#boxes.push(
      `<g class="box ${tone}">`,
      `  <rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10"/>`,
      ...texts.map((text) => `  ${text}`),
      "</g>"
    )
    return {
      left: [x, y + height / 2],
      right: [x + width, y + height / 2],
      top: [x + width / 2, y],
      bottom: [x + width / 2, y + height]
    }
  }

  /** A way in which something ends: its name, then what it means, in one line. */
  ending({ height, width, x, y }: Shape, tone: Tone, title: string, meaning: string): Box {
    const line = y + height / 2 + 5
    this.#boxes.push(
      `<g class="box ${tone}">`,
      `  <rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10"/>`,
      `  <text class="title" x="${x + 16}" y="${line}">${escape(title)}</text>`,
      `  <text x="${x + 130}" y="${line}">${escape(meaning)}</text>`,
      "</g>"
    )
    return { left: [x, y + height / 2], right: [x + width, y + height / 2], top: [x, y], bottom: [x, y + height] }
  }

  /** Along the points, with a head at the last. */
  arrow(points: ReadonlyArray<Point>, { isDashed = false } = {}): this {
    const way = points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x} ${y}`).join(" ")
    this.#arrows.push(`<path${isDashed ? ' class="dashed"' : ""} d="${way}" marker-end="url(#head)"/>`)
    return this
  }

  /** What goes on, from top to bottom. */
  life(x: number, from: number, to: number): this {
    this.#areas.push(`<path class="life" d="M${x} ${from}V${to}"/>`)
    return this
  }

  label([x, y]: Point, text: string, anchor: "start" | "middle" | "end" = "middle"): this {
    this.#arrows.push(`<text class="label" x="${x}" y="${y}" text-anchor="${anchor}">${escape(text)}</text>`)
    return this
  }

  toString(): string {
    const { height, title, width } = this.#options
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
      `  <title id="title">${escape(title)}</title>`,
      `  <style>${style}</style>`,
      '  <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>',
      `  <rect class="ground" width="${width}" height="${height}" rx="14"/>`,
      ...[...this.#areas, ...this.#arrows, ...this.#boxes].map((line) => `  ${line}`),
      "</svg>",
      ""
    ].join("\n")
  }
}
