import { operationsIn } from "@tollgate/client/discovered/inDocument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileOf, mark, matcher, onlyIn } from "../codegen/file.ts"
import { readSource } from "../codegen/source.ts"
import * as Print from "../terminal/print.ts"
import { onFile } from "../terminal/onFile.ts"
import { optionalText, toggle, textFlag } from "./inputs.ts"

const flags = {
  from: textFlag("from", "address", "The address of a gateway, or a file with its OpenAPI document"),
  out: textFlag("out", "file", "The file to write, such as src/api.ts"),
  only: optionalText(
    "only",
    "ids",
    "Only these operations, separated by commas; * stands for any text: weather.*,rerank. The file remembers it"
  ),
  check: toggle("check", "Write nothing; exit code 1 if the file is not what would be written")
}

/** Without what a line of the file cannot hold: no id contains it. */
const plain = (only: string): string => only.replaceAll(/\s/g, "")

const write = (file: string, code: string) =>
  onFile(file, "written", () => {
    const isNew = !existsSync(file)
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
    writeFileSync(file, code)
    // The program's files are readable by their owner only; this one is source code.
    if (isNew) chmodSync(file, 0o644)
  })

const generate = Effect.fnUntraced(function* (from: string, out: string, given: string | undefined, check: boolean) {
  const source = yield* readSource(from)
  const existing = yield* onFile(out, "read", () => (existsSync(out) ? readFileSync(out, "utf8") : undefined))
  const ids = [...operationsIn(source.document).keys()]
  const only = given === undefined ? onlyIn(existing ?? "") : plain(given)
  const count = ids.filter(matcher(only)).length
  if (ids.length === 0) return yield* Print.fail("This is not the OpenAPI document of a gateway.")
  if (count === 0) return yield* Print.fail("No operation of the gateway has such an id.")
  const code = fileOf(source, only)
  if (check) {
    if (existing === code) return yield* Print.line(`${out} is up to date`)
    const state = existing === undefined ? "does not exist" : "is not what the gateway offers now"
    return yield* Print.fail(`${out} ${state}. Run the command without --check.`)
  }
  if (existing === code) return yield* Print.line(`${out} is up to date`)
  if (existing !== undefined && existing.trim() !== "" && !existing.startsWith(mark)) {
    return yield* Print.fail(`${out} was not written by this command, so it is not overwritten.`)
  }
  yield* write(out, code)
  const selected = only === undefined ? "" : ` (${only})`
  yield* Print.line(`${out}: ${count} operations${selected}, contract ${source.hash.slice(0, 12)}`)
})

export const codegen = Command.make("codegen", flags, ({ check, from, only, out }) =>
  generate(from, out, Option.getOrUndefined(only), check)
).pipe(
  Command.withDescription("Write a TypeScript file with a typed function for each operation of a gateway"),
  Command.withShortDescription("Write a TypeScript file with a function for each operation")
)
