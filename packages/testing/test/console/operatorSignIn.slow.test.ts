import { layer } from "@effect/vitest"
import { chromium, hasChromium } from "@tollgate/testing/chromium"
import { axe } from "@tollgate/testing/console/consolePage"
import { gatewayProgram } from "@tollgate/testing/console/gatewayProgram"
import { client, openIdProvider, type Person } from "@tollgate/testing/operators/provider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect } from "vitest"

describe.skipIf(!hasChromium)("in Chromium", () =>
  layer(Layer.empty, { excludeTestServices: true })((it) => {
    it.effect("an operator signs in at the provider; somebody without a group reads why not", () =>
      Effect.gen(function* () {
        let address = ""
        const people: Record<string, Person> = { ada: { name: "Ada", groups: ["help"] } }
        // Of another site, as providers are: ports do not count.
        const provider = yield* openIdProvider(() => `${address}/console/operator/callback`, people, "localhost")
        const gateway = yield* gatewayProgram({
          env: { CLIENT_SECRET: client.client_secret },
          config: {
            operators: {
              issuer: provider.issuer,
              clientId: client.client_id,
              clientSecret: { env: "CLIENT_SECRET" },
              scopes: ["profile", "groups"],
              roles: { support: ["help"] },
              refundLimit: "25"
            }
          }
        })
        address = gateway.address
        const browser = yield* chromium
        yield* Effect.promise(async () => {
          const tab = await (await browser.newContext()).newPage()
          await tab.goto(`${address}/operator`)
          const { host } = new URL(provider.issuer)
          const button = tab.getByRole("link", { name: `Sign in with ${host}` })
          await button.waitFor()
          expect(await axe(tab)).toEqual([])
          if (process.env["PICTURES"] !== undefined) await tab.screenshot({ path: process.env["PICTURES"] })
          await button.click()
          await tab.getByRole("button", { name: "Sign in as ada" }).click()
          const bar = tab.getByRole("navigation", { name: "Operator" })
          await bar.getByRole("link", { name: "Team" }).click()
          await tab.getByText("You are Ada: support").waitFor()
          await tab.getByText("refunds up to a limit of $25").waitFor()
          expect(tab.url()).toBe(`${address}/operator/team`)
          // The session is that of the browser.
          await tab.reload()
          await tab.getByText("You are Ada: support").waitFor()

          // Anybody can write such addresses.
          await tab.goto(`${address}/operator#session=0123456789abcdef`)
          await bar.waitFor()

          people.ada = { name: "Ada", groups: [] }
          const other = await (await browser.newContext()).newPage()
          await other.goto(`${address}/operator`)
          await other.getByRole("link", { name: `Sign in with ${host}` }).click()
          await other.getByRole("button", { name: "Sign in as ada" }).click()
          await other.getByText("None of your groups has a role here.").waitFor()
          expect(other.url()).toBe(`${address}/operator`)
          expect(await axe(other)).toEqual([])
          // What she had before has ended.
          await tab.reload()
          await tab.getByLabel("Admin token").waitFor()
        })
      })
    )
  })
)
