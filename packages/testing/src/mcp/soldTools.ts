import * as declared from "@tollgate/contract/errors/Family"
import { usd } from "@tollgate/contract/Money"
import { Open } from "@tollgate/contract/Open"
import * as Operation from "@tollgate/contract/Operation"
import type { Price } from "@tollgate/contract/price/Price"
import * as limits from "@tollgate/contract/limits"
import { type FixedProvider, routesTo } from "@tollgate/gateway/upstream/Route"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Served } from "../hostile/Served.ts"
import { key, type Options, TestGateway } from "../TestGateway.ts"

export interface Sold {
  readonly id: string
  readonly tool: string
  readonly price?: Price
  readonly replay?: Operation.Replay
  readonly forwardedHeaders?: ReadonlyArray<string>
  readonly kept?: Operation.Operation["kept"]
}

const operationOf = ({
  id,
  kept,
  price = { contract: "per_request", amount: usd("0.002") },
  replay = "billed"
}: Sold) => ({
  ...(kept === undefined ? {} : { kept }),
  ...Operation.make({
    id,
    category: "tools",
    summary: `Calls the tool of ${id}`,
    method: "POST",
    path: `/apis/v1/tools/${id}`,
    request: { body: Open({}) },
    success: Open({}),
    errors: price.contract === "free" ? declared.free : declared.billed,
    family: "data",
    price,
    limit: limits.standard,
    bodyLimit: Operation.bodyLimits.data,
    replay,
    upstream: "managed",
    pending: []
  })
})

/** A gateway on a real port that sells tools of the MCP servers at these ports, tried in order of weight. */
export const sellingTools = (
  sold: ReadonlyArray<Sold>,
  ports: ReadonlyArray<number>,
  provider: Partial<FixedProvider> = {},
  options: Options = {}
): Layer.Layer<Served | TestGateway> => {
  const routes = sold.map(({ forwardedHeaders, id, tool }) => ({
    operation: id,
    to: ports.flatMap((port, i) =>
      (
        routesTo({
          [id]: {
            name: `server-${i}`,
            protocol: "mcp",
            baseUrl: `http://127.0.0.1:${port}/mcp`,
            deadlineMillis: 15_000,
            ...provider
          }
        })[0]?.to ?? []
      ).map((target) => ({
        ...target,
        ...(forwardedHeaders === undefined ? {} : { forwardedHeaders }),
        tool,
        weight: i === 0 ? 1_000_000_000 : 1
      }))
    )
  }))
  return Layer.provideMerge(
    Served.layer(),
    TestGateway.layer({ operations: sold.map(operationOf), routes, ...options })
  )
}

/** Calls an operation over HTTP. */
export const post = (id: string, body: string | object, headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Served, ({ baseUrl }) =>
    Effect.promise(async (signal) => {
      const response = await fetch(`${baseUrl}/apis/v1/tools/${id}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
        signal
      })
      const text = await response.text()
      return {
        status: response.status,
        text,
        cost: response.headers.get("x-tollgate-cost-micros-usd") ?? response.headers.get("x-provider-cost-micros-usd"),
        headers: response.headers
      }
    })
  )
