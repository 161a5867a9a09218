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
export const foreignText = (text: string, maxLength = 80): string => {
  const visible = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
  const characters = [...visible]
  return characters.length <= maxLength ? visible : `${characters.slice(0, maxLength - 1).join("")}…`
}
