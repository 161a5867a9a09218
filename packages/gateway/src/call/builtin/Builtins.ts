import type { Catalogue } from "@tollgate/contract/Catalogue"
import { fill } from "@tollgate/contract/Names"
import { cachedAnswer as cachedAnswerOperation } from "@tollgate/contract/operations/cachedAnswer"
import { linkCallback as linkCallbackOperation } from "@tollgate/contract/operations/linkCallback"
import { linkStart as linkStartOperation } from "@tollgate/contract/operations/linkStart"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { KeptAnswers } from "../../kept/KeptAnswers.ts"
import { Links } from "../../identity/link/Links.ts"
import { Tasks } from "../task/Tasks.ts"
import { Usage } from "../../books/usage/Usage.ts"
import { cachedAnswer } from "./cachedAnswer.ts"
import { contracts } from "./contracts.ts"
import { linkCallback, linkStart } from "./links.ts"
import { modelGet } from "./modelGet.ts"
import { modelList } from "./modelList.ts"
import { modelListGemini } from "./modelListGemini.ts"
import { Models } from "../../exchange/Models.ts"
import type { Builtin } from "../../exchange/Builtin.ts"
import { usage } from "./usage.ts"

export type Builtins = Readonly<Record<string, Builtin>>

/** The operations that this gateway answers itself, by id, if their service is provided. */
export const make = Effect.fnUntraced(function* (catalogue: Catalogue) {
  const id = (operation: { readonly id: string }) => fill(operation.id, catalogue.names)
  const reports = yield* Effect.serviceOption(Usage)
  const links = yield* Effect.serviceOption(Links)
  const kept = yield* Effect.serviceOption(KeptAnswers)
  const tasks = yield* Effect.serviceOption(Tasks)
  const models = yield* Models
  const all: Builtins = {
    ...(yield* contracts(catalogue)),
    "models.list": modelList(models),
    "models.get": modelGet(models),
    "models.list_gemini": modelListGemini(models),
    ...(Option.isSome(reports) ? { usage: usage(reports.value) } : {}),
    ...(Option.isSome(links)
      ? { [id(linkStartOperation)]: linkStart(links.value), [id(linkCallbackOperation)]: linkCallback(links.value) }
      : {}),
    ...(Option.isSome(tasks) ? { "task.get": tasks.value.poll } : {}),
    ...(Option.isSome(kept) ? { [id(cachedAnswerOperation)]: cachedAnswer(kept.value) } : {})
  }
  return all
})
