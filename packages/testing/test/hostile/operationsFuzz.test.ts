import { describe, expect, it } from "@effect/vitest"
import { fromJsonSchema } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import { fromText } from "@tollgate/contract/jsonSchema/fromText"
import { micro } from "@tollgate/contract/Money"
import { OpenQuery } from "@tollgate/contract/QueryStyle"
import { TestGateway } from "@tollgate/testing"
import { type Answer, answersOf, type Kind, kinds, mark } from "@tollgate/testing/hostile/fuzz/answer"
import { anySchema, definitions, fittingBody } from "@tollgate/testing/hostile/fuzz/fittingBody"
import { asked, isPriced, priceOf, provenMicros, quotedMicros, saleOf } from "@tollgate/testing/hostile/fuzz/sale"
import { Served } from "@tollgate/testing/hostile/Served"
import { calls, reservedTotal } from "@tollgate/testing/models"
import { customOperation } from "@tollgate/testing/operation/customOperation"
import { bearer } from "@tollgate/testing/tools/agent"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import { countOf } from "@tollgate-tooling/programs/counts.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"

const rounds = countOf("OPERATION_FUZZ", 1, 40)
const seed = countOf("OPERATION_FUZZ_SEED", 30, 30)

/** Calls of each operation whose answer proves a cost, proves none, and may be anything. */
const perOperation = { proving: 4, unproven: 4, any: 6 }

type Proof = keyof typeof perOperation

/** `fits`: the schema takes the body. */
type Fit = "fits" | "breaks"

const callOf = (kind: Kind, proof: Proof) =>
  fc.record({
    proof: fc.constant(proof),
    answer: answersOf[proof](kind),
    fit: proof === "any" ? fc.constantFrom<Fit>("fits", "fits", "fits", "breaks") : fc.constant<Fit>("fits"),
    n: proof === "any" ? asked : fc.constantFrom(undefined, null, 1, 3),
    capMicros: proof === "any" ? fc.option(fc.integer({ min: 1, max: 20_000 })) : fc.constant(null),
    withQuote: proof === "proving" ? fc.constant(true) : fc.constantFrom(true, false, false)
  })

const callsOf = (kind: Kind, proof: Proof) =>
  fc.array(callOf(kind, proof), { minLength: perOperation[proof], maxLength: perOperation[proof] })

const described = (kind: Kind) =>
  fc.record({
    sale: saleOf(kind),
    body: fittingBody(["n"]),
    calls: fc
      .tuple(callsOf(kind, "proving"), callsOf(kind, "unproven"), callsOf(kind, "any"))
      .map((groups) => groups.flat())
  })

/** An operation whose schemas need not take anything. */
const anyOperation = fc.record({
  sale: fc.constantFrom(...kinds).chain(saleOf),
  schema: anySchema,
  any: anySchema,
  texts: fc.array(
    fc.oneof(
      fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
      fc.constantFrom("", "{", "[[[[", '{"__proto__":{"n":1}}', '{"n":1,"n":2}')
    ),
    { minLength: 4, maxLength: 4 }
  ),
  query: fc.constantFrom("", "?q=1", "?q=a,b", "?q=%7B%22a%22:1%7D", "?q=1&q=2", "?Q=1", "?q=%FF")
})

const world = fc.record({
  described: fc.tuple(...kinds.map(described)),
  any: fc.array(anyOperation, { minLength: 3, maxLength: 3 })
})

type World = typeof world extends fc.Arbitrary<infer A> ? A : never

/** How often each thing was seen, so that a round that proves nothing fails. */
type Seen = Record<"charged" | "delivered" | "unmetered" | "quoted", number>

const none = (): Record<Kind, Seen> =>
  Object.fromEntries(kinds.map((kind) => [kind, { charged: 0, delivered: 0, unmetered: 0, quoted: 0 }])) as Record<
    Kind,
    Seen
  >

describe("operations of any description", () => {
  it.live(`deliver what is metered, and charge what is proven: ${rounds} rounds from the seed ${seed}`, () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(world, (world) => Effect.runPromise(check(world))),
        { numRuns: rounds, seed, endOnFailure: true, asyncReporter: report }
      )
    )
  )
})

/** A world fills many screens. The seed makes it again, and the cause names the call. */
const report = ({ errorInstance, failed, numRuns }: fc.RunDetails<[World]>) =>
  failed
    ? Promise.reject(new Error(`OPERATION_FUZZ_SEED=${seed} failed in round ${numRuns}`, { cause: errorInstance }))
    : Promise.resolve()

const check = ({ any, described }: World) =>
  Effect.gen(function* () {
    let next: Answer = { status: 500, type: "", body: "", written: [] }
    const { port, received } = yield* httpUpstream((res) => {
      res.statusCode = next.status
      if (next.type !== "") res.setHeader("content-type", next.type)
      res.end(next.body)
    })
    const own = [
      ...described.map(({ body, sale }) => ({
        sale,
        request: { body: fromJsonSchema({ schema: body.schema, definitions }) }
      })),
      ...any.map(({ any, sale, schema }) => {
        const all = { ...definitions, Any: any }
        return {
          sale,
          request: {
            query: OpenQuery({ q: Schema.optionalKey(fromText({ schema, definitions: all })) }),
            body: fromJsonSchema({ schema, definitions: all })
          }
        }
      })
    ].map(({ request, sale }, i) =>
      customOperation({
        id: `fuzz.n${i}`,
        method: "POST",
        path: `/fuzz/${i}`,
        request,
        price: priceOf(sale),
        ...(sale.kind === "free" ? { replay: "free" } : {})
      })
    )
    const provider = { ...providerAt(port), breaker: false }
    const routes = own.map(({ id }) => ({ operation: id, to: [{ provider, weight: 1 }] }))
    yield* Effect.gen(function* () {
      const { baseUrl } = yield* Served
      const { account, accounts } = yield* TestGateway
      const { balance } = yield* accounts.topUp(account, micro(10n ** 15n), "enough for the largest amounts")
      const seen = none()
      const charged = new Map<string, number>()
      const sent = { all: 0, reached: 0 }

      const ask = (path: string, body: string, more: Readonly<Record<string, string>> = {}) =>
        Effect.promise(async () => {
          const before = received.length
          const response = await fetch(baseUrl + path, {
            method: "POST",
            headers: { ...bearer, "content-type": "application/json", ...more },
            body
          })
          const text = await response.text()
          const cost = response.headers.get("x-tollgate-cost-micros-usd")
          return {
            id: response.headers.get("x-request-id") ?? "",
            status: response.status,
            text,
            micros: Number(cost ?? 0),
            reached: received.length - before
          }
        })
      const quoteOf = (path: string, body: string) => ask(path, body, { "x-tollgate-cost-mode": "quote" })

      for (const [i, { body, calls, sale }] of described.entries()) {
        const { kind } = sale
        const path = `/fuzz/${i}`
        for (const { answer, capMicros, fit, n, proof, withQuote } of calls) {
          const { must, ...others } = body.fields
          const fields = {
            ...others,
            ...(fit === "fits" ? { must } : { must: "none" }),
            ...(n === undefined ? {} : { n })
          }
          const text = JSON.stringify(fields)
          const accepted = fit === "fits" && isPriced(sale, n)
          const { likely, most } = accepted ? quotedMicros(sale, n) : { likely: 0, most: 0 }
          const proven = accepted && answer.status < 300 ? provenMicros(sale, n, answer) : undefined
          if (proof === "proving") expect(proven, answer.body).toBeDefined()
          if (proof === "unproven" && kind !== "free") expect(proven, answer.body).toBe(undefined)

          if (withQuote) {
            const quote = yield* quoteOf(path, text)
            const told = `quote of ${kind} ${text}: ${quote.text}`
            // What is free has no quote.
            const isQuoted = accepted && kind !== "free"
            expect([quote.status, quote.reached, quote.micros], told).toEqual([isQuoted ? 200 : 400, 0, 0])
            if (isQuoted) {
              expect(JSON.parse(quote.text), told).toMatchObject({ estimate_micros_usd: likely, max_micros_usd: most })
              seen[kind].quoted++
            }
          }

          next = answer
          const cap = capMicros ?? Infinity
          const capped = capMicros === null ? {} : { "x-tollgate-max-price-usd": (capMicros / 1e6).toFixed(6) }
          const response = yield* ask(path, text, capped)
          const told = `${kind} ${text} cap ${capMicros}, answered ${JSON.stringify(answer)}: ${JSON.stringify(response)}`
          const { id, micros, reached, status } = response
          sent.all++
          sent.reached += reached
          if (!accepted || most > cap) {
            expect([status, reached, micros], told).toEqual([accepted ? 402 : 400, 0, 0])
            continue
          }
          // What may have run is not sent again.
          expect(reached, told).toBe(1)
          const due = Math.min(proven ?? 0, cap)
          charged.set(id, due)
          expect(micros, told).toBe(due)
          if (answer.status >= 300) expect(status, told).toBeGreaterThanOrEqual(400)
          else if (proven === undefined) {
            expect([status, response.text.includes(mark)], told).toEqual([502, false])
            expect(response.text, told).toContain("answer_not_metered")
            seen[kind].unmetered++
          } else {
            expect([status, response.text], told).toEqual([answer.status, answer.body])
            seen[kind].delivered++
            if (due > 0) seen[kind].charged++
          }
        }
      }

      for (const [i, { query, sale, texts }] of any.entries()) {
        const path = `/fuzz/${described.length + i}${query}`
        for (const text of texts) {
          next = { status: 200, type: "application/json", body: `{"mark":"${mark}"}`, written: [] }
          const response = yield* ask(path, text)
          const told = `${sale.kind} ${path} ${text}: ${JSON.stringify(response)}`
          if (response.reached === 0) expect([response.status, response.micros], told).toEqual([400, 0])
          else {
            charged.set(response.id, response.micros)
            expect([200, 502], told).toContain(response.status)
            expect(response.text.includes(mark), told).toBe(response.status === 200)
          }
        }
      }

      // A round that reaches little proves little. By construction 8 of 14 calls do.
      expect(sent.reached / sent.all, JSON.stringify(sent)).toBeGreaterThan(0.5)
      for (const kind of kinds) {
        const told = `${kind}: ${JSON.stringify(seen[kind])}`
        expect(seen[kind].delivered, told).toBeGreaterThanOrEqual(perOperation.proving)
        if (kind === "free") continue
        expect(seen[kind].charged, told).toBeGreaterThanOrEqual(perOperation.proving)
        expect(seen[kind].unmetered, told).toBeGreaterThanOrEqual(perOperation.unproven)
        expect(seen[kind].quoted, told).toBeGreaterThanOrEqual(perOperation.proving)
      }

      const recorded = yield* calls
      for (const { charged: micros, id, state } of recorded) {
        expect([state === "open", micros ?? 0], `${id} ${state}`).toEqual([false, charged.get(id) ?? 0])
      }
      const ids = new Set(recorded.map(({ id }) => id))
      for (const [id, micros] of charged) if (micros > 0) expect(ids.has(id), id).toBe(true)
      const paid = [...charged.values()].reduce((sum, micros) => sum + micros, 0)
      expect([(yield* accounts.get(account)).balance, yield* reservedTotal]).toEqual([balance - BigInt(paid), 0])
    }).pipe(Effect.provide(Layer.provideMerge(Served.layer(), TestGateway.layer({ routes, operations: own }))))
  }).pipe(Effect.scoped)
