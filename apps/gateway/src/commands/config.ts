import { defaults } from "@tollgate/contract/Names"
import { FleetConfig } from "@tollgate/gateway/operator"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { configPath } from "../settings/Settings.ts"
import { jsonSchema } from "../config/File.ts"
import { read } from "../config/read.ts"
import { inStore } from "./inStore.ts"
import * as Print from "../terminal/print.ts"
import { configFile, argument, optionalArgument } from "./inputs.ts"

const file = argument("file", "A configuration file, such as tollgate.jsonc")

const checked = optionalArgument("file", "A configuration file, such as tollgate.jsonc; default: TOLLGATE_CONFIG")

const check = Command.make("check", { file: checked }, ({ file }) =>
  Effect.gen(function* () {
    yield* read(yield* configFile(file, `${Print.typed.program} config check tollgate.jsonc`))
    yield* Print.line("ok")
  })
).pipe(Command.withDescription("Check a configuration file: print ok or every error, with exit code 1"))

const adopt = Command.make("adopt", {}, () =>
  Effect.gen(function* () {
    const path = Option.getOrUndefined(yield* configPath)
    if (path === undefined) return yield* Print.fail("Set TOLLGATE_CONFIG to the configuration file.")
    const { sections } = yield* read(path)
    yield* inStore(
      Effect.gen(function* () {
        const fleet = yield* FleetConfig.make
        yield* fleet.adopt(sections)
        yield* Print.line("ok")
      })
    )
  })
).pipe(
  Command.withDescription(
    "Make the file of TOLLGATE_CONFIG the configuration of all gateways on the store, before they start with it"
  ),
  Command.withShortDescription("Make the file the configuration of all gateways")
)

const schema = Command.make("schema", { file: Argument.optional(file) }, ({ file }) =>
  Effect.flatMap(Option.isSome(file) ? read(file.value) : Effect.succeed({ names: defaults }), ({ names }) =>
    Print.json(jsonSchema(names))
  )
).pipe(Command.withDescription("Print a JSON Schema for editors; with a file, for the names that it sets"))

export const config = Command.make("config").pipe(
  Command.withDescription("Work with the configuration file that TOLLGATE_CONFIG names"),
  Command.withShortDescription("Check the configuration file, and print its schema"),
  Command.withSubcommands([check, adopt, schema])
)
