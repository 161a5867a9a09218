import * as Headers from "@tollgate/contract/Headers"
import { nano, usd } from "@tollgate/contract/Money"
import { fill, type Names } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import type { ModelPrice } from "@tollgate/contract/price/Price"
import { clip } from "./video/clip.ts"
import { chatModel, isChatModel } from "./wire/body.ts"

// The sandbox from the gateway's view: its address, protocols, prices and models.

/** The address of the sandbox in this process. DNS does not resolve it. */
export const origin = "http://sandbox.invalid"

const withoutProtocol = ["rerank", "rerank.v2", "images.generate"]

/** That of its family, if it is one of models. */
const protocolOf = ({ family, id }: Operation): string =>
  family === "data" || family === "task" || withoutProtocol.includes(id) ? "json" : family

/** The paths of operations for which the contract shows none. */
export const paths: Readonly<Record<string, string>> = {
  "deep_research.search": "/v1/deep-research/search",
  "images.generate": "/v1/images/generations"
}

/** For `GET /v1/models`, in the order in which the sandbox itself lists them. */
export const models: ReadonlyArray<{
  readonly id: string
  readonly ownedBy: string
  readonly operations: ReadonlyArray<string>
}> = [
  {
    id: chatModel,
    ownedBy: "sandbox",
    operations: operations.flatMap((one) => (protocolOf(one) === "json" ? [] : [one.id]))
  },
  { id: "sandbox-video", ownedBy: "sandbox", operations: ["video.create"] },
  { id: "rerank", ownedBy: "sandbox", operations: ["rerank", "rerank.v2"] }
]

/** The model that talks. A scenario may follow its name after a colon. */
export const model: string = chatModel
export const isModel = isChatModel

/** Invented, in USD per million tokens. */
export const modelPrice: ModelPrice = {
  input: usd("1"),
  output: usd("4"),
  cacheRead: usd("0.1"),
  cacheWrite: usd("1.25")
}

const amounts: Readonly<Record<string, string>> = {
  "audio.speech": "0.000015",
  "images.edit": "0.02",
  "images.generate": "0.02",
  "rerank.v2": "0.002",
  "video.create": "0.05"
}

/** Invented, in USD, for an operation whose price the contract leaves open. */
export const amountOf = (operation: string) => usd(amounts[operation] ?? "0.001")

/** A canceled task reports the seconds that it made, and costs its part of the price. */
const canceledCost = {
  path: ["usage", "output_video_duration"],
  perUnit: nano(amountOf("video.create") / BigInt(clip.seconds))
}

const provider = (protocol: string, names: Names) => ({
  name: "sandbox",
  baseUrl: origin,
  protocol,
  headers: {},
  canceledCost,
  forwardedHeaders: [Headers.scenario.key(names)],
  deadlineMillis: 60_000,
  idleMillis: 30_000,
  answerBytes: 33_554_432,
  eventBytes: 1_048_576,
  // It runs in this process, without connections.
  connections: 10_000,
  private: false,
  // It fails on request, so its failures say nothing about its health.
  breaker: false
})

/** One route for each operation that an upstream carries out, for any model. */
export const routes = (names: Names) =>
  operations
    .filter(({ upstream }) => upstream !== "gateway")
    .map((operation) => {
      const path = paths[operation.id]
      const to = {
        provider: provider(protocolOf(operation), names),
        ...(path === undefined ? {} : { path }),
        weight: 1
      }
      return { operation: fill(operation.id, names), to: [to] }
    })

/** The sandbox plays the platform whose accounts can be linked. A browser opens its page at `baseUrl`, the gateway's. */
export const platform = (baseUrl: string) => ({
  authorizeUrl: `${baseUrl}/platform/authorize`,
  tokenUrl: `${origin}/platform/token`,
  clientId: "tollgate"
})

/** What a browser opens itself: videos, and the page where a user approves a link. */
export const pagePaths = ["/videos/*", "/platform/authorize"]
