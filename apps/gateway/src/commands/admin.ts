import { type ApiRoute, parametersOf } from "@tollgate/contract/Api"
import { adminApi } from "@tollgate/contract/admin/adminApi"
import { changeWords } from "@tollgate/contract/admin/trailWords"
import { Refund } from "@tollgate/contract/admin/Terms"
import { micro } from "@tollgate/contract/Money"
import { Accounts, Admin, CallLogSql, Payments, UsageSql } from "@tollgate/gateway"
import { Shapes, Webhooks, WebhookOutbox } from "@tollgate/gateway/operator"
import * as Command from "effect/cli/Command"
import type * as Param from "effect/cli/Param"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Print from "../terminal/print.ts"
import { CommandError, fail } from "../terminal/print.ts"
import { isItem, listedIn, printRecord, printTable } from "./answer.ts"
import { assemble, fieldsOf, idsOf, nameOf } from "./fields.ts"
import { json, optionalArgument } from "./inputs.ts"
import { inStore } from "./inStore.ts"

const { groups } = adminApi
const decodeRefund = Schema.decodeUnknownEffect(Refund)
type Group = keyof typeof groups

const routesOf = (group: Group): Readonly<Record<string, ApiRoute>> => groups[group]

/** Runs a route on the store, as the admin API does. A refusal names the flag of the field. */
export const runRoute = (group: Group, route: string, path: Ids, part: unknown) =>
  Effect.gen(function* () {
    const webhooks = { endpoints: yield* Webhooks, outbox: yield* WebhookOutbox.make }
    const payments = yield* Payments.make({ provider: undefined, transfer: "", least: micro(1n), most: micro(1n) })
    const run = yield* Effect.provideService(Admin.runner({ webhooks }), Payments.CurrentPayments, payments)
    const answer = yield* run(group, route, path, part)
    return isItem(answer) ? answer : {}
  }).pipe(
    Effect.scoped,
    Effect.provide(reports),
    Effect.catchTag("Refused", ({ refusal: { message, param } }) =>
      Effect.fail(
        new CommandError({ message: param === undefined ? message : message.replace(param, `--${nameOf(param)}`) })
      )
    )
  )

type Ids = Readonly<Record<string, string>>

const reports = Layer.merge(CallLogSql.layer, UsageSql.layer)

interface Options {
  /** What the answer is about. Default: the group's own word. */
  readonly noun?: string
  /** What there are none of. Default: the group. */
  readonly plural?: string
  /** The columns of a list. Default: all fields. */
  readonly columns?: ReadonlyArray<string>
  readonly run?: typeof runRoute
  readonly after?: (ids: Ids) => Parameters<typeof inStore>[0]
  readonly row?: (
    answer: Readonly<Record<string, unknown>>
  ) => (item: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
}

const accountArgument = optionalArgument("account", "Only of this account: acct_…")

const described = (route: ApiRoute) => {
  const { description, summary } = route
  return <N extends string, I, E, R>(command: Command.Command<N, I, {}, E, R>) =>
    command.pipe(
      Command.withDescription(description === undefined ? summary : `${summary}. ${description}`),
      Command.withShortDescription(summary)
    )
}

/** A command that lists what a route lists: of all accounts, or of one if its items have an account. */
const listCommand = (name: string, group: Group, routeName: string, options: Options) => {
  const route = routesOf(group)[routeName]!
  const all = listedIn(route, group) ?? []
  const fields = fieldsOf(route.query).filter(({ name }) => name !== "account" || !all.includes("account"))
  const { columns = all, noun = group.slice(0, -1), plural = group, row } = options
  const ofAccount = Object.entries(routesOf(group)).find(
    ([, { method, path }]) => method === "GET" && path === `/accounts/{id}/${group}`
  )?.[0]
  const config: Record<string, Param.Param<Param.ParamKind, unknown>> = {
    ...Object.fromEntries(fields.map(({ name, param }) => [name, param])),
    ...(all.includes("account") ? { account: accountArgument } : {}),
    json
  }
  return Command.make(name, config, (given) =>
    inStore(
      Effect.gen(function* () {
        const account = Option.isOption(given.account) ? Option.getOrUndefined(given.account) : undefined
        const query = Result.getOrElse(assemble(fields, given), () => ({}))
        if (typeof account === "string") yield* (yield* Accounts).get(account)
        const answer =
          typeof account === "string" && ofAccount !== undefined
            ? yield* runRoute(group, ofAccount, { id: account }, query)
            : yield* runRoute(group, routeName, {}, query)
        const listed = answer[group]
        const found = (Array.isArray(listed) ? listed.filter(isItem) : []).filter(
          (item) => account === undefined || (item.account ?? account) === account
        )
        yield* given.json === true
          ? Print.json({ ...answer, [group]: found })
          : printTable(row === undefined ? found : found.map(row(answer)), columns, plural, noun)
      })
    )
  ).pipe(described(route))
}

/** A command for a route of the admin API: ids and required fields are arguments, the others flags. */
const routeCommand = (name: string, group: Group, routeName: string, options: Options = {}) => {
  const route = routesOf(group)[routeName]!
  if (parametersOf(route.path).length === 0 && route.method === "GET") {
    return listCommand(name, group, routeName, options)
  }
  const { after, noun = group.slice(0, -1), run = runRoute } = options
  const ids = options.run === undefined ? idsOf(route) : []
  const fields = fieldsOf(route.body)
  const config: Record<string, Param.Param<Param.ParamKind, unknown>> = {
    ...Object.fromEntries(ids.map(({ noun, param }) => [noun, param])),
    ...Object.fromEntries(fields.map(({ name, param }) => [name, param])),
    json
  }
  return Command.make(
    name,
    config,
    Effect.fnUntraced(function* (given) {
      const body = assemble(fields, given)
      if (Result.isFailure(body)) return yield* fail(body.failure)
      if (route.method === "PATCH" && Object.keys(body.success).length === 0) {
        const flags = fields.map(({ name }) => `--${name}`).join(", ")
        return yield* fail(`Name what to set: ${flags}.`)
      }
      const path = Object.fromEntries(ids.map(({ noun, parameter }) => [parameter, String(given[noun])]))
      yield* inStore(
        Effect.gen(function* () {
          const answer = yield* run(group, routeName, path, body.success)
          if (given.json === true) return yield* Print.json(answer)
          const items = answer[routeName]
          yield* Array.isArray(items)
            ? printTable(items.filter(isItem), listedIn(route, routeName) ?? [], routeName)
            : printRecord(route, noun, answer)
          if (after !== undefined) yield* after(path)
        })
      )
    })
  ).pipe(described(route))
}

const grantColumns = [
  "id",
  "account",
  "client_name",
  "scopes",
  "spent_micros_usd",
  "limit_micros_usd",
  "spent_today_micros_usd",
  "day_limit_micros_usd",
  "ended",
  "ends_at"
]

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Manage accounts: balance, tier, limits and price multiplier"),
  Command.withSubcommands([
    routeCommand("create", "accounts", "createAccount"),
    routeCommand("list", "accounts", "accounts", {
      columns: [
        "id",
        "label",
        "tier",
        "balance_micros_usd",
        "reserved_micros_usd",
        "topped_up_micros_usd",
        "created_at"
      ]
    }),
    routeCommand("show", "accounts", "account"),
    routeCommand("set", "accounts", "changeAccount"),
    routeCommand("entries", "accounts", "entries")
  ])
)

/** The id of a call is enough: the ledger knows its account. */
const refundOfCall: typeof runRoute = (_group, _route, _path, part) =>
  Effect.gen(function* () {
    const { amount_micros_usd: amount, call, id: entry, note } = yield* Effect.orDie(decodeRefund(part))
    const terms = { amount: amount === undefined ? undefined : micro(BigInt(amount)), entry }
    return { ...Shapes.account(yield* Accounts.use((accounts) => accounts.refund(call, note, terms))) }
  })

export const topup = routeCommand("topup", "accounts", "topUp")
export const adjust = routeCommand("adjust", "accounts", "adjust")
export const reverse = routeCommand("reverse", "accounts", "reversePayment")
export const refund = routeCommand("refund", "accounts", "refundCall", { run: refundOfCall })

export const keys = Command.make("keys").pipe(
  Command.withDescription("Manage keys: budgets, revocation and rotation"),
  Command.withSubcommands([
    routeCommand("create", "keys", "createKey"),
    routeCommand("list", "keys", "keys", {
      columns: [
        "id",
        "account",
        "label",
        "spent_micros_usd",
        "budget_micros_usd",
        "day_budget_micros_usd",
        "month_budget_micros_usd",
        "created_at",
        "ends_at"
      ]
    }),
    routeCommand("show", "keys", "key"),
    routeCommand("set", "keys", "changeKey"),
    routeCommand("revoke", "keys", "revokeKey"),
    routeCommand("rotate", "keys", "rotateKey", {
      after: (old) =>
        Effect.flatMap(runRoute("keys", "key", old, {}), ({ ends_at, id }) =>
          Print.line(`The old key, ${String(id)}, ends at ${String(ends_at)}.`)
        )
    })
  ])
)

const [setGrant, revokeGrant] = [
  routeCommand("set", "grants", "changeGrant"),
  routeCommand("revoke", "grants", "revokeGrant")
]

export const grants = Command.make("grants").pipe(
  Command.withDescription("See, change and revoke access that people gave to apps by OAuth"),
  Command.withShortDescription("See, change and revoke access given by OAuth"),
  Command.withSubcommands([routeCommand("list", "grants", "grants", { columns: grantColumns }), setGrant, revokeGrant])
)

export const clients = Command.make("clients").pipe(
  Command.withDescription("Manage service accounts; they get OAuth tokens with a secret, without a person"),
  Command.withShortDescription("Manage service accounts"),
  Command.withSubcommands([
    routeCommand("create", "clients", "createClient", { noun: "grant" }),
    routeCommand("list", "clients", "clients", { columns: grantColumns }),
    setGrant,
    revokeGrant
  ])
)

export const operators = Command.make("operators").pipe(
  Command.withDescription(
    "Manage the people who operate the gateway, each with a name and a role; `sign-in op_…` signs one in"
  ),
  Command.withShortDescription("Manage the people who operate the gateway"),
  Command.withSubcommands([
    routeCommand("create", "operators", "createOperator"),
    routeCommand("list", "operators", "operators"),
    routeCommand("set", "operators", "changeOperator"),
    routeCommand("end", "operators", "endOperator"),
    routeCommand("tokens", "tokens", "operatorTokens"),
    routeCommand("end-token", "tokens", "endOperatorToken")
  ])
)

export const calls = Command.make("calls").pipe(
  Command.withDescription("See calls, the newest first, and all that is known of one"),
  Command.withShortDescription("See calls, and all that is known of one"),
  Command.withSubcommands([
    routeCommand("list", "calls", "calls", {
      columns: ["created_at", "ended_at", "id", "account", "operation", "model", "status", "charged_micros_usd"]
    }),
    routeCommand("show", "calls", "accountCallStory")
  ])
)

export const payments = Command.make("payments").pipe(
  Command.withDescription(
    "See what customers pay, and book the money of invoices; the running gateway knows the provider of cards"
  ),
  Command.withShortDescription("See what customers pay, and book the money of invoices"),
  Command.withSubcommands([
    routeCommand("list", "payments", "payments", {
      columns: ["id", "account", "kind", "state", "amount_micros_usd", "returned_micros_usd", "paid_at", "problem"]
    }),
    routeCommand("paid", "payments", "invoicePaid"),
    routeCommand("void", "payments", "voidPayment")
  ])
)

export const trail = routeCommand("trail", "trail", "trail", {
  noun: "entry",
  plural: "such entries",
  columns: ["seq", "at", "who", "address", "action", "subject", "account", "change", "why"],
  row: () => (entry) => ({ ...entry, change: changeWords(entry, Print.usd) })
})

export const gateways = routeCommand("gateways", "gateways", "gateways")

/** The endpoints of messages by their addresses, as far as they are in the file. */
const withOrigins = ({ endpoints }: Readonly<Record<string, unknown>>) => {
  const all = Array.isArray(endpoints) ? endpoints.filter(isItem) : []
  const origins = new Map(all.map(({ id, origin }) => [id, origin]))
  return (message: Readonly<Record<string, unknown>>) => ({
    ...message,
    endpoint: origins.get(message.endpoint) ?? `${String(message.endpoint)} (not in the file)`
  })
}

export const listMessages = routeCommand("list", "webhooks", "webhooks", {
  columns: ["id", "type", "endpoint", "state", "attempts", "result", "created_at", "next_at"],
  row: withOrigins
})
