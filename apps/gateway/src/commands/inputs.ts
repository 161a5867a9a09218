import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Param from "effect/cli/Param"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { configPath } from "../settings/Settings.ts"
import { fail } from "../terminal/print.ts"

export const argument = (name: string, description: string) =>
  Argument.withDescription(Argument.String(name), description)

export const optionalArgument = (name: string, description: string) => Argument.optional(argument(name, description))

/** The error does not repeat the key, because terminal output may be recorded. */
export const rejectKeyItself = Param.mapEffect((id: string) =>
  id.startsWith("tg_")
    ? Effect.fail(
        new CliError.ValidationError({ message: "Give the key's id (keys list shows it), not the key itself" })
      )
    : Effect.succeed(id)
)

/** Off if it is not given. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

export const optionalText = (name: string, metavar: string, description: string) =>
  Flag.optional(textFlag(name, metavar, description))

export const json = toggle("json", "Print JSON: amounts are micro-USD, as strings if a number would not be exact")

export const config = optionalText("config", "file", "A configuration file; default: TOLLGATE_CONFIG")

/** The configuration file: the one that is named, or else that of TOLLGATE_CONFIG. `how` says how to name one. */
export const configFile = Effect.fnUntraced(function* (named: Option.Option<string>, how = "--config tollgate.jsonc") {
  const path = Option.getOrUndefined(Option.isSome(named) ? named : yield* configPath)
  return path ?? (yield* fail(`Name the configuration file: ${how}, or TOLLGATE_CONFIG.`))
})

export const dayMillis = 86_400_000

const dateOf = (text: string): Option.Option<number> => {
  const millis = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // `Date.parse` may turn 31 November into 1 December.
  return millis > 0 && new Date(millis).toISOString().startsWith(text) ? Option.some(millis) : Option.none()
}

export const date = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("date"),
    Flag.filterMap(dateOf, () => "a day such as 2026-11-30"),
    Flag.withDescription(description),
    Flag.optional
  )

export const from = date("from", "The first day, in UTC")
export const to = date("to", "The last day, in UTC")
