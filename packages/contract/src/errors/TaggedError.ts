import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"

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

/** A class of errors with these fields. */
type ErrorClass<Tag extends string> = new <Fields extends object = object>(
  fields: Fields
) => Cause.YieldableError & { readonly _tag: Tag } & Readonly<Fields>

/**
 * `Data.TaggedError` for errors that print the same everywhere: `console.log`, `String`, `JSON.stringify`, stacks and
 * Effect's causes show tag, message and all fields but the long ones, which remain readable.
 */
export const TaggedError = <const Tag extends string>(tag: Tag): ErrorClass<Tag> =>
  printed(Data.TaggedError(tag)) as never
