/** Markup. Only `html` makes it, and it escapes every value, so that text never becomes markup. */
export class Html {
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
  }

  static join(strings: ReadonlyArray<string>, values: ReadonlyArray<Value>): Html {
    return new Html(strings.reduce((all, string, i) => all + write(values[i - 1]) + string))
  }

  /** A style of our own. Its text is not escaped: browsers read it as it is. */
  static style(css: string): Html {
    return new Html(`<style>${css}</style>`)
  }

  /** A script of our own, likewise. It may not contain the end of its element. */
  static script(javascript: string): Html {
    return new Html(`<script>${javascript}</script>`)
  }

  toString(): string {
    return this.#text
  }
}

/** Nothing is written for `undefined` and `false`. */
type Value = string | number | Html | ReadonlyArray<Html> | undefined | false

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")

const write = (value: Value): string => {
  if (value === undefined || value === false) return ""
  if (value instanceof Html) return value.toString()
  return typeof value === "object" ? value.join("") : escape(String(value))
}

/** Values may stand in text and in quoted attributes. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html => Html.join(strings, values)

/**
 * Text that others chose, such as a client's name: without characters that are invisible or change the direction of what
 * follows, and short enough to leave room for the rest of the page.
 */
export const untrustedText = (text: string, maxLength = 80): string => {
  const visible = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
  const characters = [...visible]
  return characters.length <= maxLength ? visible : `${characters.slice(0, maxLength - 1).join("")}…`
}

export const theme = `:root { color-scheme: light dark; --page: light-dark(#f3f4f6, #111418); --card: light-dark(#fff, #1a1f26);
  --text: light-dark(#15191e, #e9edf2); --soft: light-dark(#535c68, #a3adba); --line: light-dark(#dde1e6, #313944);
  --control: light-dark(#7b8490, #76818f); --well: light-dark(#f7f8fa, #141920); --accent: light-dark(#0b6158, #4fc7b8);
  --on-accent: light-dark(#fff, #062320); --warn: light-dark(#7a4b00, #f3c77c); --warn-well: light-dark(#fff6e3, #2c2413);
  --warn-line: light-dark(#e8cf9c, #5b4920); --bad: light-dark(#a4241c, #ff9d94); --bad-well: light-dark(#fdeeec, #331a19);
  --bad-line: light-dark(#efc1bc, #6b302d) }
`

/** The gateway's sign: a raised barrier. */
export const mark = html`<svg
  viewBox="0 0 24 24"
  fill="none"
  stroke="currentColor"
  stroke-width="2.5"
  stroke-linecap="round"
  aria-hidden="true"
>
  <path d="M5 21V8M2.5 21h5M8 11.5 21 4" />
  <circle cx="5" cy="11" r="2.5" fill="currentColor" stroke="none" />
</svg>`
