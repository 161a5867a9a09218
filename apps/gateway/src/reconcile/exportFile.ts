import * as Effect from "effect/Effect"
import { createReadStream } from "node:fs"
import { CommandError } from "../terminal/print.ts"
import { CsvReader } from "./csvReader.ts"
import { JsonReader } from "./jsonReader.ts"
import { type Entry, wrongAt } from "./EntryReader.ts"

/** What an export is written in. CSV has the names of its columns. */
export type Format = { readonly kind: "json" } | { readonly kind: "csv"; readonly columns: ReadonlyArray<string> }

/** Of blank text before the first value. */
const maxBlank = 1024 * 1024

type Visit = (entry: Entry, format: Format) => void

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error
    ? String(error.code)
    : error instanceof Error
      ? error.message
      : String(error)

const read = async (file: string, visit: Visit, onRead: (bytes: number) => void): Promise<void> => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw wrongAt({ file, line: 1, column: 1 }, "the file is not text in UTF-8; unpack it, or save it as UTF-8")
    }
  }
  let reader: CsvReader | JsonReader | undefined
  // Blank text at the start counts for positions.
  let blank = ""
  const push = (text: string): void => {
    if (reader === undefined) {
      blank += text
      const first = /\S/.exec(blank)?.[0]
      if (first === undefined && blank.length > maxBlank) {
        throw wrongAt({ file, line: 1, column: 1 }, "the file begins with more than 1 MiB of blank text")
      }
      if (first === undefined) return
      reader = first === "{" || first === "[" ? new JsonReader(file) : new CsvReader(file)
      reader.push(blank)
    } else reader.push(text)
    drain()
  }
  const drain = (): void => {
    const format: Format =
      reader instanceof CsvReader ? { kind: "csv", columns: reader.columns ?? [] } : { kind: "json" }
    for (const entry of reader?.take() ?? []) visit(entry, format)
  }
  // An async iterator closes the file however the loop ends.
  for await (const bytes of createReadStream(file) as AsyncIterable<Uint8Array>) {
    push(decode(bytes))
    onRead(bytes.length)
  }
  push(decode())
  if (reader === undefined) throw wrongAt({ file, line: 1, column: 1 }, "the file is empty")
  reader.end()
  drain()
}

/** Visits the entries of a file, which may be larger than memory. */
export const readExport = (
  file: string,
  visit: Visit,
  onRead: (bytes: number) => void
): Effect.Effect<void, CommandError> =>
  Effect.tryPromise({
    try: () => read(file, visit, onRead),
    catch: (error) =>
      error instanceof CommandError ? error : new CommandError({ message: `Cannot read ${file}: ${codeOf(error)}` })
  })
