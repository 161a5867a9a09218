import { describe, expect, layer } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import { bind } from "@tollgate/contract/Operation"
import { sample } from "@tollgate/contract/reference/sample"
import { TestGateway } from "@tollgate/testing"
import { request } from "@tollgate/testing/hardening/requests"
import { Target } from "@tollgate/testing/hardening/target"
import { expectWorking } from "@tollgate/testing/hardening/testAll"
import { wire } from "@tollgate/testing/hardening/wire"
import { bindings, priced } from "@tollgate/testing/models"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** As deep as a body can be that is short enough not to be checked while it arrives. */
const values = {
  lists: "[".repeat(30_000) + "]".repeat(30_000),
  objects: `${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`,
  parts: `${'[{"type":"text","content":'.repeat(2_000)}1${"}]".repeat(2_000)}`
}

const own: Readonly<Record<string, { readonly path: string }>> = bindings

const bound = priced.flatMap((operation) => bind(operation, defaults, own[operation.id]) ?? [])

const fieldsOf = (body: Schema.Constraint): ReadonlyArray<string> => {
  const { ast } = Schema.toEncoded(body)
  return ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

/** A valid body, but for one field. The model is one that has a price. */
const bodiesOf = (body: Schema.Constraint): ReadonlyArray<string> => {
  const valid = sample(body) as object
  return [...new Set([...fieldsOf(body), "messages", "contents", "input", "tools", "other"])].flatMap((field) =>
    Object.values(values).map((value) => {
      const fields = { ...valid, ...("model" in valid ? { model: "sandbox" } : {}), [field]: "the field" }
      return JSON.stringify(fields).replace('"the field"', value)
    })
  )
}

layer(Target.layer(), { excludeTestServices: true, timeout: "60 seconds" })("a body that is very deep", (it) => {
  describe("is answered, and not as a fault of the gateway", () => {
    for (const { id, method, path, request: parts } of bound) {
      const { body, bodyType } = parts
      // A form has no depth.
      if (body === undefined || bodyType !== undefined) continue
      it.effect(id, () =>
        Effect.gen(function* () {
          const { port } = yield* Target
          const { account, accounts } = yield* TestGateway
          yield* accounts.topUp(account, micro(1_000_000_000n), "test")
          for (const text of bodiesOf(body)) {
            const client = yield* wire(port)
            client.send(
              request(`${method} ${path.replace("{model}", "sandbox")}`, ["anthropic-version: 2023-06-01"], text)
            )
            const [answer] = yield* client.until(1)
            const told = `${text.slice(0, 200)}: ${answer?.body.slice(0, 500)}`
            expect([200, 202, 400, 402, 403, 404, 429], told).toContain(answer?.status)
            client.socket.destroy()
          }
        }).pipe(Effect.scoped)
      )
    }
  })

  it.effect("leaves the gateway working", () => expectWorking)
})
