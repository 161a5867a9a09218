import * as Effect from "effect/Effect"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

/** A proxy that loses answers. */
export interface Dropping {
  readonly baseUrl: string
  /** How many answers were lost. */
  readonly dropped: () => number
  /** From now on, answers arrive. */
  readonly pass: () => void
}

/**
 * A proxy before the gateway at `baseUrl`. It lets the gateway answer in full, and then resets the caller's connection, for
 * the first `most` answers.
 */
export const dropping = (baseUrl: string, most = Infinity) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const state = { dropped: 0, passes: false }
        const server = createServer((req, res) => {
          const sent = request(new URL(req.url ?? "/", baseUrl), {
            method: req.method ?? "",
            headers: req.headers,
            agent: false
          })
          sent.on("error", () => res.destroy())
          sent.on("response", (answer) => {
            if (state.passes || state.dropped >= most) {
              res.writeHead(answer.statusCode ?? 0, answer.headers)
              answer.pipe(res)
              return
            }
            answer.resume().on("end", () => {
              state.dropped++
              res.socket?.resetAndDestroy()
            })
          })
          req.pipe(sent)
        })
        await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
        return { server, state }
      }),
      ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
    ),
    ({ server, state }): Dropping => ({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      dropped: () => state.dropped,
      pass: () => {
        state.passes = true
      }
    })
  )
