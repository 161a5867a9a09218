import { expect, it } from "@effect/vitest"
import { Client, FetchCarrier, rerank } from "@tollgate/client"
import { TollgateProvider, useCall, useUsage } from "@tollgate/react/effect"
import * as Layer from "effect/Layer"
import { createElement } from "react"
import { renderToString } from "react-dom/server"

const client = Client.layer({ credential: "t" }).pipe(Layer.provide(FetchCarrier.layer))

const App = () => `${useCall(rerank).state}, ${useUsage("7 days").state}`

it("renders on a server without sending anything", () => {
  expect(renderToString(createElement(TollgateProvider, { client }, createElement(App)))).toBe("idle, loading")
})

it("says that the provider is missing", () => {
  expect(() => renderToString(createElement(App))).toThrow("put <TollgateProvider client={…}> around")
})
