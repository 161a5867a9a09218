import * as Schema from "effect/Schema"

/** Fields that are left out of texts, because they can be long. */
const hidden = ["headers", "body", "data", "task", "envelope", "cause"]

type Show = (value: unknown, options: unknown) => string

type Maker = new (...args: ReadonlyArray<unknown>) => Error

/** As text, because a foreign cause may be cyclic or hold anything. */
const causeOf = ({ cause }: Error) =>
  cause instanceof Error || typeof cause === "string" ? { cause: String(cause) } : {}

const printed = (Made: object): Maker =>
  class extends (Made as Maker) {
    constructor(...args: ReadonlyArray<unknown>) {
      super(...args)
      for (const name of hidden) if (name in this) Object.defineProperty(this, name, { enumerable: false })
      const { stack = "" } = this
      const title = super.toString()
      const frames = stack.startsWith(title) ? stack.slice(title.length) : `\n${stack}`
      const line = JSON.stringify({ ...this, _tag: undefined })
      Object.defineProperty(this, "stack", {
        value: `${title}\n    ${line}${frames}`,
        writable: true,
        configurable: true
      })
    }
    toJSON(): unknown {
      return { ...this, message: this.message, ...causeOf(this) }
    }
    override toString(): string {
      return `${super.toString()} ${JSON.stringify({ ...this, _tag: undefined })}`
    }
    [Symbol.for("nodejs.util.inspect.custom")](_: number, options: unknown, show?: Show): unknown {
      if (this.cause === undefined || show === undefined) return this.stack
      return `${this.stack} {\n  [cause]: ${show(this.cause, options).replaceAll("\n", "\n  ")}\n}`
    }
  }

/**
 * `Schema.TaggedError` for errors that print the same everywhere: `console.log`, `String`, `JSON.stringify`, stacks and
 * Effect's causes show tag, message and all fields but the long ones, which remain readable.
 */
export const TaggedError = ((identifier?: string) => (tag: string, fields: Schema.Struct.Fields) =>
  printed(Schema.TaggedError<Error>(identifier)(tag, fields))) as typeof Schema.TaggedError
