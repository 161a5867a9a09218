import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"

/** Fields that are left out of texts, because they can be long. */
const hidden = ["headers", "body", "data", "task", "envelope", "text", "steps", "resume", "cause"]

type Show = (value: unknown, options: unknown) => string

type Maker = new (...args: ReadonlyArray<unknown>) => Error

const titleOf = (error: Error): string => Error.prototype.toString.call(error)

const fieldsOf = (error: Error & { readonly _tag?: string }): string =>
  JSON.stringify({ ...error, name: undefined, _tag: error._tag === error.name ? undefined : error._tag })

/** As text, because a foreign cause may be cyclic or hold anything. */
const causeOf = ({ cause }: Error) =>
  cause instanceof Error || typeof cause === "string" ? { cause: String(cause) } : {}

/** Where an error of ours has its tag. A program may have two copies of this package, whose classes are not the same. */
const tagged = Symbol.for("@tollgate/contract/errors/tag")

/** Adds the fields to all texts of a class of errors, under its message in stacks, since Effect's causes show these. */
const printed = (Made: object, tag: string): Maker =>
  class extends (Made as Maker) {
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof Error && Reflect.get(value, tagged) === tag
    }
    get [tagged](): string {
      return tag
    }
    constructor(...args: ReadonlyArray<unknown>) {
      super(...args)
      for (const name of hidden) if (name in this) Object.defineProperty(this, name, { enumerable: false })
      const { stack = "" } = this
      const title = titleOf(this)
      const frames = stack.startsWith(title) ? stack.slice(title.length) : `\n${stack}`
      Object.defineProperty(this, "stack", {
        configurable: true,
        get: () => `${titleOf(this)}\n    ${fieldsOf(this)}${frames}`,
        set: (value: unknown) => {
          Object.defineProperty(this, "stack", { value, writable: true })
        }
      })
    }
    toJSON(): unknown {
      return { ...this, message: this.message, ...causeOf(this) }
    }
    override toString(): string {
      return `${titleOf(this)} ${fieldsOf(this)}`
    }
    [Symbol.for("nodejs.util.inspect.custom")](_: number, options: unknown, show?: Show): unknown {
      if (this.cause === undefined || show === undefined) return this.stack
      return `${this.stack} {\n  [cause]: ${show(this.cause, options).replaceAll("\n", "\n  ")}\n}`
    }
  }

type ErrorClass<Tag extends string> = new <Fields extends object = object>(
  fields: Fields
) => Cause.YieldableError & { readonly _tag: Tag } & Readonly<Fields>

/**
 * `Data.TaggedError` for errors that print the same everywhere: `console.log`, `String`, `JSON.stringify`, stacks and
 * Effect's causes show tag, message and all fields but the long ones, which remain readable. `instanceof` tells them in any copy of
 * this package.
 */
export const TaggedError = <const Tag extends string>(tag: Tag): ErrorClass<Tag> =>
  printed(Data.TaggedError(tag), tag) as never

/** The same for an error that is not made by Effect. */
export const PrintedError = (tag: string) => printed(Error, tag) as typeof Error
