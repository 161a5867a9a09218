import { expect, it } from "@effect/vitest"
import { Host, key } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { gatewayTo, providerAt } from "@tollgate/testing/hostile/Served"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

interface Offered {
  readonly models: ReadonlyArray<{
    readonly id: string
    readonly operations: ReadonlyArray<{ readonly id: string; readonly rates: object | null }>
  }>
}

it.effect(
  "models are listed by name, each with the operations that reach it, by which protocol and at what price",
  () =>
    Effect.gen(function* () {
      const answer = yield* ask("GET", "/account/v1/models", { authorization: `Bearer ${key}` })
      expect(answer.status).toBe(200)
      const { models } = answer.json() as Offered
      expect(models.map(({ id }) => id)).toEqual(models.map(({ id }) => id).toSorted())
      const sandbox = models.find(({ id }) => id === "sandbox")
      expect(sandbox?.operations.find(({ id }) => id === "chat.completions")).toMatchObject({
        price: "$3 in, $17 out / 1M tokens",
        rates: { input: "3", output: "17" },
        protocols: ["openai"],
        is_translated: false
      })
      // No operation is listed that takes no model.
      expect(models.flatMap(({ operations }) => operations.map(({ id }) => id))).not.toContain("usage")
      expect((yield* ask("GET", "/account/v1/models", {})).status).toBe(401)
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          Host.layerInProcess,
          gatewayTo({ "chat.completions": providerAt(1, { protocol: "openai" }) })
        )
      )
    )
)
