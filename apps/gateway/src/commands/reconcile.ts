import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { compare } from "../reconcile/Comparison.ts"
import { dayOf, exactOf, modelKey } from "../reconcile/cells.ts"
import { tableColumns } from "../reconcile/providers.ts"
import { readStatement } from "../reconcile/readStatement.ts"
import { readCalls, readRecords } from "../reconcile/recorded.ts"
import { asJson, asTables } from "../reconcile/report.ts"
import { fail } from "../terminal/print.ts"
import { date, dayMillis, from, to, toggle, argument, textFlag } from "./inputs.ts"
import { inReadOnlyStore } from "./inStore.ts"

const pair = (text: string): Option.Option<readonly [string, string]> => {
  const match = /^([^=]+)=(.+)$/.exec(text)
  return match === null ? Option.none() : Option.some([match[1]!, match[2]!])
}

const isColumn = (name: string) => tableColumns.some((column) => column === name)

/** `day=Date,amount=Cost` */
const columnsOf = (text: string): Option.Option<ReadonlyMap<string, string>> => {
  const pairs = text.split(",").flatMap((part) => Option.toArray(pair(part.trim())))
  return pairs.length === text.split(",").length && pairs.every(([name]) => isColumn(name))
    ? Option.some(new Map(pairs))
    : Option.none()
}

const percentOf = (text: string): Option.Option<{ readonly text: string; readonly millionths: bigint }> =>
  /^\d{1,3}(?:\.\d{1,4})?$/.test(text)
    ? Option.some({ text, millionths: (exactOf(text) ?? 0n) / 10n ** 17n })
    : Option.none()

const pairs = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(`${description}; repeatable`),
    Flag.filterMap(pair, () => metavar),
    Flag.atLeast(0)
  )

const flags = {
  files: argument("file", "The export: JSON, JSON lines or CSV; several files are its pages").pipe(Argument.atLeast(1)),
  provider: Flag.Literals("provider", ["openai", "anthropic", "google", "csv"]).pipe(
    Flag.withDescription("Whose export it is, or csv for any table; default: detected from the file"),
    Flag.optional
  ),
  upstream: Flag.atLeast(
    textFlag(
      "upstream",
      "name",
      "Only calls that this upstream answered; repeatable; default: those with models of the export"
    ),
    0
  ),
  columns: Flag.String("columns").pipe(
    Flag.withMetavar("day=Date,…"),
    Flag.filterMap(columnsOf, () => `pairs such as day=Date,amount=Cost; names are ${tableColumns.join(", ")}`),
    Flag.withDescription("The table's names for the columns day, model, kind, quantity, amount, currency"),
    Flag.withDefault(new Map<string, string>())
  ),
  alias: pairs("alias", "theirs=ours", "A model's other name"),
  where: pairs("where", "field=value", "Only results of the export with this value, such as project_id=proj_1"),
  from,
  to,
  day: date("day", "Only this day, in UTC"),
  model: Flag.String("model").pipe(Flag.withDescription("Only this model"), Flag.optional),
  calls: toggle("calls", "List the calls behind lines that differ; with --day or --model behind all lines"),
  tolerance: Flag.String("tolerance").pipe(
    Flag.withMetavar("percent"),
    Flag.filterMap(percentOf, () => "a percentage such as 0.5"),
    Flag.withDescription("Differences up to this are accepted"),
    Flag.withDefault({ text: "0.5", millionths: 5_000n })
  ),
  json: toggle("json", "Print JSON: amounts are nano-USD, and they and counts are strings")
}

export const reconcile = Command.make("reconcile", flags, (asked) => {
  const aliases = new Map(asked.alias)
  const end = Option.getOrUndefined(Option.map(asked.to, (day) => day + dayMillis))
  const start = Option.getOrUndefined(asked.from)
  const ours = { aliases, upstreams: asked.upstream, from: start, to: end }
  const isNarrow = Option.isSome(asked.day) || Option.isSome(asked.model)
  return Effect.gen(function* () {
    const statement = yield* readStatement(asked.files, {
      provider: Option.getOrUndefined(asked.provider),
      aliases,
      columns: asked.columns,
      where: new Map(asked.where)
    })
    const { records, upstreams } = yield* readRecords(statement, ours)
    const lines = compare(statement, records, {
      tolerance: asked.tolerance.millionths,
      now: yield* Clock.currentTimeMillis,
      isInWindow: (day) => day >= dayOf(start ?? 0) && (end === undefined || day < dayOf(end)),
      day: Option.getOrUndefined(Option.map(asked.day, dayOf)),
      model: Option.getOrUndefined(Option.map(asked.model, (name) => modelKey(aliases.get(name) ?? name)))
    })
    const wanted = isNarrow ? lines : lines.filter(({ isOver }) => isOver)
    const behind = asked.calls ? yield* readCalls(statement, ours, upstreams, wanted) : undefined
    const report = { statement, lines, upstreams, behind }
    yield* asked.json ? asJson(report, asked.tolerance.text) : asTables(report)
    const { length } = lines.filter(({ isOver }) => isOver)
    if (length > 0) {
      return yield* fail(`${length} of ${lines.length} lines differ by more than ${asked.tolerance.text} %.`)
    }
  }).pipe(inReadOnlyStore)
}).pipe(
  Command.withDescription(
    "Compare a provider's usage or cost export with the recorded calls, by day and model; exit code 1 if they differ"
  ),
  Command.withShortDescription("Compare a provider's export with the recorded calls")
)
