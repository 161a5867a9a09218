import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Completions from "effect/cli/Completions"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { version } from "../package.ts"
import { warnOfUnknownVariables } from "../settings/variables.ts"
import * as Print from "../terminal/print.ts"
import { typed, fail } from "../terminal/print.ts"
import {
  accounts,
  adjust,
  calls,
  clients,
  gateways,
  grants,
  keys,
  operators,
  payments,
  refund,
  reverse,
  topup,
  trail
} from "./admin.ts"
import { audit } from "./audit.ts"
import { backup } from "./backup.ts"
import { codegen } from "./codegen.ts"
import { config } from "./config.ts"
import { exportLog } from "./export.ts"
import { init } from "./init.ts"
import { move } from "./move.ts"
import { importOperations, importMcp } from "./operationsImport.ts"
import { prices } from "./prices.ts"
import { reconcile } from "./reconcile.ts"
import { reference } from "./reference.ts"
import { routes } from "./routes.ts"
import { signIn } from "./signIn.ts"
import { usage } from "./usage.ts"
import { webhooks } from "./webhooks.ts"

/** Loads the server only when it is started, so that other commands start faster. */
const launched = Effect.flatMap(
  Effect.promise(() => import("../serve/start.ts")),
  ({ launch }) => launch
)

const managed = (count: number) =>
  Effect.flatMap(
    Effect.promise(() => import("../serve/workers/Workers.ts")),
    ({ manage }) => manage(count)
  )

const mostWorkers = 64

const workers = Flag.Int("workers").pipe(
  Flag.filter(
    (count) => count >= 1 && count <= mostWorkers,
    (count) => `expected 1 to ${mostWorkers}, got ${count}`
  ),
  Flag.withDefault(1),
  Flag.withDescription("How many processes serve the port; more than one needs TOLLGATE_STORE")
)

export const start = Command.make("start", { workers }, ({ workers }) =>
  workers === 1 ? launched : managed(workers)
).pipe(Command.withDescription("Start the gateway; this is the default command"))

const operations = Command.make("operations").pipe(
  Command.withDescription("Work with operations of your own, beside those of the interface"),
  Command.withShortDescription("Import operations of your own"),
  Command.withSubcommands([Command.withSubcommands(importOperations, [importMcp])])
)

const tollgate = Command.make(typed.program, {}, () => launched).pipe(
  Command.withDescription(
    "A metered API gateway. Without a command it starts. The commands use the same TOLLGATE_DATA, even while it runs."
  ),
  Command.withSubcommands([
    start,
    init,
    accounts,
    keys,
    grants,
    clients,
    signIn,
    calls,
    payments,
    operators,
    trail,
    topup,
    adjust,
    reverse,
    refund,
    usage,
    audit,
    reconcile,
    exportLog,
    backup,
    move,
    gateways,
    webhooks,
    config,
    operations,
    codegen,
    prices,
    routes,
    reference
  ])
)

const unused = Effect.die("no command uses this service")

/** The command-line parser requires these services, but no command uses them. */
const platform = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Stdio.layerTest({}),
  Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: Effect.sync(() => process.stdout.columns),
      rows: Effect.sync(() => process.stdout.rows),
      size: unused,
      readInput: unused,
      readLine: unused,
      display: () => Effect.void
    })
  ),
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => unused)
  )
)

const presenter: CliOutput.Presenter = {
  present: (event) => {
    const formatter = CliOutput.defaultFormatter()
    // The program's own text, with colors on a terminal: not escaped.
    if (event._tag === "Help") return Effect.ignore(Print.write(`${formatter.formatHelpDoc(event.helpDoc)}\n`))
    if (event._tag === "Version") return Effect.ignore(Print.line(event.version))
    return Effect.void
  }
}

/** Effect's own flag writes past the output of the other commands. */
const completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: (shell, { command }) =>
    Option.isNone(shell)
      ? Effect.void
      : Effect.ignore(Print.line(Completions.generate(command.name, shell.value, Completions.fromCommand(command))))
})

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, " ")

export const run = (words: ReadonlyArray<string>) =>
  Effect.andThen(warnOfUnknownVariables, Command.runWith(tollgate, { version: version() })(words)).pipe(
    Effect.catchTag("ShowHelp", ({ commandPath, errors }) =>
      errors[0] === undefined ? Effect.void : fail(`${oneLine(errors[0].message)} (${commandPath.join(" ")} --help)`)
    ),
    Effect.provide(
      Layer.mergeAll(
        platform,
        CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, completions] }),
        CliOutput.layerPresenter(presenter)
      )
    )
  )
