import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { reference as markdown } from "@tollgate/contract/reference/reference"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readFileSync, writeFileSync } from "node:fs"
import { bindings } from "../config/sandbox.ts"
import * as Print from "../terminal/print.ts"
import { onFile } from "../terminal/onFile.ts"

const marked = /(?<=<!-- operations -->\n).*?(?=<!-- \/operations -->)/s

const into = Flag.String("into").pipe(
  Flag.withDescription("Write into this file, between <!-- operations --> and <!-- /operations -->"),
  Flag.optional
)

const put = Effect.fnUntraced(function* (page: string, text: string) {
  const old = yield* onFile(page, "read", () => readFileSync(page, "utf8"))
  if (!marked.test(old)) {
    return yield* Print.fail(`${page} has no <!-- operations --> … <!-- /operations -->.`)
  }
  const next = old.replace(marked, () => `\n${text}\n\n`)
  yield* onFile(page, "written", () => writeFileSync(page, next))
})

export const reference = Command.make("reference", { into }, ({ into }) => {
  const text = markdown(Catalogue.make(operations, defaults, bindings(defaults, {})))
  return Option.match(into, { onNone: () => Print.line(text), onSome: (page) => put(page, text) })
}).pipe(
  Command.withDescription("Print every operation with price, errors and curl commands, as Markdown"),
  Command.withShortDescription("Print every operation as Markdown")
)
