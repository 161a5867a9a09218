import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { type JSONPath, printParseErrorCode, visit } from "jsonc-parser"
import { formatPath, type Path, type Position } from "./Problem.ts"

/** The text is not JSON, from this position on. */
export class Unreadable extends Data.TaggedError("Unreadable")<{ readonly at: Position; readonly message: string }> {}

export interface Document {
  readonly value: unknown
  /** Keys that one object has twice. The last value counts. */
  readonly repeated: ReadonlyArray<Path>
  /** The position of the value at this path, or of the nearest value around it. */
  readonly positionOf: (path: Path) => Position
}

const deepest = 64

const wholeString = "a string that ends on its line, with only the escapes that JSON has"

/** For errors inside a token; between tokens, `expected` in `parse` says what may follow. */
const expectedInToken: Readonly<Record<string, string>> = {
  UnexpectedEndOfComment: "a comment that ends in */",
  UnexpectedEndOfNumber: "a number with digits after its point or exponent",
  UnexpectedEndOfString: wholeString,
  InvalidCharacter: wholeString,
  InvalidEscapeCharacter: wholeString,
  InvalidUnicode: wholeString
}

/** Where each value of a text begins, by its path. Found only when somebody asks, because most files are valid. */
const startsIn = (text: string): ReadonlyMap<string, Position> => {
  const starts = new Map<string, Position>()
  const item = (line: number, character: number, path: JSONPath) => {
    if (typeof path.at(-1) === "number") starts.set(formatPath(path), positionAt(line, character))
  }
  visit(
    text,
    {
      onObjectBegin: (_, __, line, character, path) => item(line, character, path()),
      onArrayBegin: (_, __, line, character, path) => item(line, character, path()),
      onLiteralValue: (_, __, ___, line, character, path) => item(line, character, path()),
      onObjectProperty: (key, _, __, line, character, path) => {
        starts.set(formatPath([...path(), key]), positionAt(line, character))
      }
    },
    { allowTrailingComma: true }
  )
  return starts
}

const positionAt = (line: number, character: number): Position => ({ line: line + 1, column: character + 1 })

/** Parses JSON with comments and trailing commas. Stops at the first error. */
export const parse = (written: string): Result.Result<Document, Unreadable> => {
  // A byte order mark counts as a space.
  const text = written.replace(/^\uFEFF/, " ")
  const repeated: Array<Path> = []
  const open: Array<object> = []
  let key = ""
  let root: unknown
  let expected = "a value"

  const fail = (expected: string, offset: number, at: Position): Unreadable => {
    const [found] = text.slice(offset, offset + 2)
    return new Unreadable({
      at,
      message: `not JSON: expected ${expected}, found ${found === undefined ? "the end of the file" : JSON.stringify(found)}`
    })
  }

  const add = (value: unknown, offset: number, line: number, character: number): void => {
    if (open.length > deepest) throw fail(`no more than ${deepest} levels`, offset, positionAt(line, character))
    const around = open.at(-1)
    if (around === undefined) root = value
    else if (Array.isArray(around)) around.push(value)
    // Defined, not assigned: `__proto__` is a key like any other.
    else if (key !== "__proto__") Reflect.set(around, key, value)
    else Object.defineProperty(around, key, { value, configurable: true, enumerable: true, writable: true })
  }

  const afterValue = (): void => {
    const around = open.at(-1)
    if (around === undefined) expected = "the end of the file"
    else expected = Array.isArray(around) ? "a comma or ]" : "a comma or }"
  }

  const begin = (value: object, offset: number, line: number, character: number): void => {
    add(value, offset, line, character)
    open.push(value)
    expected = Array.isArray(value) ? "a value" : "a key in double quotes"
  }

  /** Also called at the end of the file, where the bracket is missing. */
  const end = (offset: number): void => {
    if (offset === text.length) return
    open.pop()
    afterValue()
  }

  let starts: ReadonlyMap<string, Position> | undefined
  const positionOf = (path: Path): Position => {
    starts ??= startsIn(text)
    for (let length = path.length; length > 0; length--) {
      const start = starts.get(formatPath(path.slice(0, length)))
      if (start !== undefined) return start
    }
    return positionAt(0, 0)
  }

  try {
    visit(
      text,
      {
        onObjectBegin: (offset, _, line, character) => begin({}, offset, line, character),
        onArrayBegin: (offset, _, line, character) => begin([], offset, line, character),
        onObjectEnd: end,
        onArrayEnd: end,
        onObjectProperty: (name, _offset, _length, _line, _character, path) => {
          if (Object.hasOwn(open.at(-1) ?? {}, name)) repeated.push([...path(), name])
          key = name
          expected = "a colon"
        },
        onLiteralValue: (value: unknown, offset, _, line, character) => {
          add(value, offset, line, character)
          afterValue()
        },
        onSeparator: (separator) => {
          expected = separator === ":" || Array.isArray(open.at(-1)) ? "a value" : "a key in double quotes"
        },
        onError: (code, offset, _, line, character) => {
          throw fail(expectedInToken[printParseErrorCode(code)] ?? expected, offset, positionAt(line, character))
        }
      },
      { allowTrailingComma: true }
    )
    return Result.succeed({ value: root, repeated, positionOf })
  } catch (error) {
    if (error instanceof Unreadable) return Result.fail(error)
    throw error
  }
}

/** The sections of a configuration file, as far as its text can be read. */
export const sectionsOf = (text: string): Readonly<Record<string, unknown>> =>
  objectOf(Result.getOrUndefined(parse(text))?.value)

/** The value if it is an object, and otherwise an empty one. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}
