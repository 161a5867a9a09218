import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** Serves a page of an origin other than the gateway's. Its script finds the settings in the body's dataset. */
export const servePage = (script: string, settings: object, content = "") =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        if (request.url === "/page.js") response.setHeader("content-type", "text/javascript").end(script)
        else
          response
            .setHeader("content-type", "text/html")
            .end(
              `<body data-settings='${JSON.stringify(settings)}'>${content}<script type="module" src="/page.js"></script>`
            )
      })
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
            close: () => server.close()
          })
        )
      )
    }),
    ({ close }) => Effect.sync(close)
  )
