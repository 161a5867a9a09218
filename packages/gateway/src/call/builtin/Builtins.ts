import type { Catalogue } from "@tollgate/contract/Catalogue"
import { fill } from "@tollgate/contract/Names"
import { cachedAnswer as cachedAnswerOperation } from "@tollgate/contract/operations/cachedAnswer"
import { linkCallback as linkCallbackOperation } from "@tollgate/contract/operations/linkCallback"
import { linkStart as linkStartOperation } from "@tollgate/contract/operations/linkStart"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ResellerCache } from "../../cache/ResellerCache.ts"
import { Links } from "../../identity/link/Links.ts"
import { Tasks } from "../task/Tasks.ts"
import { Usage, type Owner } from "@tollgate/ledger/usage/Usage"
import { Ledger } from "@tollgate/ledger/ledger/Ledger"
import { KeptConversations } from "../../cache/KeptConversations.ts"
import { keptConversations } from "./keptConversations.ts"
import { KeptResponses } from "../../cache/KeptResponses.ts"
import { keptResponses } from "./keptResponses.ts"
import { accountBalance, accountPrices } from "./account.ts"
import { contracts } from "./contracts.ts"
import { modelGet, modelGetGemini, modelList, modelListGemini } from "./modelList.ts"
import { Models, Prices } from "../../exchange/Prices.ts"
import { Limits } from "../../limits/Limits.ts"
import { type Builtin, json } from "../../exchange/Reply.ts"
import { refuse, unavailable } from "@tollgate/contract/errors/Refused"
import { LinkSession } from "@tollgate/contract/resources/LinkSession"
import * as Schema from "effect/Schema"
import { page } from "../../identity/link/page.ts"
import { UsageReport } from "@tollgate/contract/resources/UsageReport"
import type { Principal } from "@tollgate/ledger/credential/Keys"

const encodeReport = Schema.encodeEffect(Schema.fromJsonString(UsageReport))

const seconds = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** An access token acts for the whole account. */
const ownerIn = ({ account, grant, key }: Principal): Owner => (grant === undefined ? { account, key } : { account })

/** The usage of the caller's key, or of the account if the credential is not a key. */
const usage =
  ({ report }: Usage["Service"]): Builtin =>
  ({ input: { query }, principal }) =>
    principal === undefined
      ? Effect.fail(refuse("missing_credential", "A usage report needs a credential."))
      : report(ownerIn(principal), {
          start_time: seconds(query.start_time) ?? 0,
          end_time: seconds(query.end_time)
        }).pipe(
          Effect.flatMap((found) => Effect.orDie(encodeReport(found))),
          Effect.map((body) => json(body))
        )

const encode = Schema.encodeSync(Schema.fromJsonString(LinkSession))

const scopesIn = (body: unknown): ReadonlyArray<string> | undefined =>
  (body as { readonly scopes?: ReadonlyArray<string> }).scopes

const linkStart =
  ({ start }: Links["Service"]): Builtin =>
  ({ input: { body }, principal }) =>
    principal === undefined
      ? Effect.fail(refuse("missing_credential", "Linking an account needs a credential."))
      : Effect.map(start(principal, scopesIn(body)), (session) =>
          json(encode(session), { "cache-control": "no-store" })
        )

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The answer is a page, since a person sees it in a browser. */
const linkCallback =
  ({ finish }: Links["Service"]): Builtin =>
  ({ input: { query } }) =>
    Effect.match(finish({ state: text(query.state), code: text(query.code), error: text(query.error) }), {
      onSuccess: () => page(),
      onFailure: ({ why }) => page(why)
    })

const notFound = refuse(
  "route_not_found",
  "There is no cached answer with this id. An answer is kept for a day, for the account that paid for it."
)

/** The target of an envelope's `cache_url`: the same bytes, for the same account only. */
const cachedAnswer =
  ({ read }: ResellerCache["Service"]): Builtin =>
  ({ input: { path }, principal }) =>
    principal === undefined
      ? Effect.fail(notFound)
      : read(principal.account, String(path.id)).pipe(
          Effect.mapError(() => unavailable("The answer cache is not available.")),
          Effect.flatMap((found) =>
            Option.isNone(found)
              ? Effect.fail(notFound)
              : Effect.succeed({
                  status: 200,
                  contentType: "application/json",
                  headers: { "cache-control": "private, no-store" },
                  bytes: found.value
                })
          )
        )

/** What looks after tasks that an operator describes. */
const ownTasks = ({ bound }: Catalogue, { cancelOwn, pollOwn }: Tasks["Service"]): Builtins =>
  Object.fromEntries(
    bound.flatMap(({ id, ofTask }) =>
      ofTask === undefined ? [] : [[id, ofTask.does === "cancel" ? cancelOwn : pollOwn] as const]
    )
  )

export type Builtins = Readonly<Record<string, Builtin>>

/** The operations that this gateway answers itself, by id, if their service is provided. */
export const make = Effect.fnUntraced(function* (catalogue: Catalogue) {
  const id = (operation: { readonly id: string }) => fill(operation.id, catalogue.names)
  const reports = yield* Effect.serviceOption(Usage)
  const links = yield* Effect.serviceOption(Links)
  const kept = yield* Effect.serviceOption(ResellerCache)
  const tasks = yield* Effect.serviceOption(Tasks)
  const models = yield* Models
  const responses = Option.getOrUndefined(yield* Effect.serviceOption(KeptResponses))
  const all: Builtins = {
    ...(yield* contracts(catalogue)),
    "account.balance": accountBalance(yield* Ledger, yield* Limits),
    "account.prices": accountPrices(catalogue, yield* Prices, models),
    ...keptResponses(responses),
    ...keptConversations(Option.getOrUndefined(yield* Effect.serviceOption(KeptConversations)), responses),
    "models.list": modelList(models),
    "models.get": modelGet(models),
    "models.list_gemini": modelListGemini(models),
    "models.get_gemini": modelGetGemini(models),
    ...(Option.isSome(reports) ? { usage: usage(reports.value) } : {}),
    ...(Option.isSome(links)
      ? { [id(linkStartOperation)]: linkStart(links.value), [id(linkCallbackOperation)]: linkCallback(links.value) }
      : {}),
    ...(Option.isSome(tasks) ? { "task.get": tasks.value.poll, ...ownTasks(catalogue, tasks.value) } : {}),
    ...(Option.isSome(kept) ? { [id(cachedAnswerOperation)]: cachedAnswer(kept.value) } : {})
  }
  return all
})
