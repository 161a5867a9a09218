import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { formatPath, type Path } from "./Problem.ts"

export interface Position {
  readonly line: number
  readonly column: number
}

/** Where the text stops being JSON. */
export class Unreadable extends Data.TaggedError("Unreadable")<{ readonly at: Position; readonly message: string }> {}

export interface Document {
  readonly value: unknown
  /** Keys that an object has twice, of which `JSON.parse` would silently drop one. */
  readonly repeated: ReadonlyArray<Path>
  /** Of the value, or of the nearest one around it that is there. */
  readonly positionOf: (path: Path) => Position
}

const blank = /[\uFEFF\u0020\t\r\n]*/y
const lineComment = /\/\/[^\r\n]*/y
const blockComment = /\/\*[^]*?\*\//y
/** All but quotes, backslashes and control characters. */
const plain = /[ !#-[\]-\uffff]*/y
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const deepest = 64

/** JSON, where comments and a comma after the last item are allowed. */
export const parse = (text: string): Result.Result<Document, Unreadable> => {
  const starts = new Map<string, number>()
  const repeated: Array<Path> = []
  let at = 0

  const positionAt = (offset: number): Position => {
    const before = text.slice(0, offset).split(/\r\n|\r|\n/)
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  }

  const fail = (expected: string): Unreadable => {
    const [found] = text.slice(at, at + 2)
    return new Unreadable({
      at: positionAt(at),
      message: `not JSON: expected ${expected}, found ${found === undefined ? "the end of the file" : JSON.stringify(found)}`
    })
  }

  const take = (expression: RegExp): string | undefined => {
    expression.lastIndex = at
    const found = expression.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }

  const skip = (): void => {
    do take(blank)
    while (take(lineComment) !== undefined || take(blockComment) !== undefined)
    if (text.startsWith("/*", at)) throw fail("a comment that ends in */")
  }

  /** Whether the next character is this one, which is then passed. */
  const passed = (character: string): boolean => {
    skip()
    if (text[at] !== character) return false
    at++
    return true
  }

  const readString = (expected: string): string => {
    if (text[at] !== '"') throw fail(expected)
    const start = at++
    do take(plain)
    while (take(escape) !== undefined)
    if (text[at] !== '"') {
      at = start
      throw fail("a string that ends on its line, with only the escapes that JSON has")
    }
    return JSON.parse(text.slice(start, ++at)) as string
  }

  const items = (end: string, read: () => void): void => {
    at++
    while (!passed(end)) {
      read()
      if (passed(",")) continue
      if (!passed(end)) throw fail(`a comma or ${end}`)
      return
    }
  }

  const readObject = (path: Path): unknown => {
    const members = new Map<string, unknown>()
    items("}", () => {
      const start = at
      const key = readString("a key in double quotes")
      const here = [...path, key]
      if (members.has(key)) repeated.push(here)
      starts.set(formatPath(here), start)
      if (!passed(":")) throw fail("a colon")
      members.set(key, readValue(here))
    })
    return Object.fromEntries(members)
  }

  const readList = (path: Path): unknown => {
    const list: Array<unknown> = []
    items("]", () => {
      const here = [...path, list.length]
      starts.set(formatPath(here), at)
      list.push(readValue(here))
    })
    return list
  }

  const readValue = (path: Path): unknown => {
    skip()
    if (path.length > deepest) throw fail("no more than 64 levels")
    if (text[at] === "{") return readObject(path)
    if (text[at] === "[") return readList(path)
    if (text[at] === '"') return readString("a string")
    const found = take(scalar)
    if (found === undefined) throw fail("a value")
    return JSON.parse(found) as unknown
  }

  const positionOf = (path: Path): Position => {
    for (let length = path.length; length > 0; length--) {
      const start = starts.get(formatPath(path.slice(0, length)))
      if (start !== undefined) return positionAt(start)
    }
    return positionAt(0)
  }

  try {
    const value = readValue([])
    skip()
    if (at < text.length) throw fail("the end of the file")
    return Result.succeed({ value, repeated, positionOf })
  } catch (error) {
    if (error instanceof Unreadable) return Result.fail(error)
    throw error
  }
}
