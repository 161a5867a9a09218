import { describe, expect, it } from "@effect/vitest"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import * as ToolCatalogue from "@tollgate/tools/ToolCatalogue"
import * as Router from "@tollgate/gateway/call/router/Router"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { chromium, hasChromium } from "@tollgate/testing/chromium"
import { describedOperations } from "@tollgate/testing/operation/describedOperations"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const all = [...operations, ...describedOperations(1_000)]
/** More than a menu lists. */
const some = [
  ...operations.filter(({ id }) => id === "rerank"),
  ...all.slice(operations.length, operations.length + 150)
]
const catalogue = Catalogue.make(all, defaults)

describe("a gateway with a thousand operations of its operator", () => {
  it("finds each of them by its path and method", () => {
    const router = Router.make(catalogue.bound)
    for (const { id, method, path } of catalogue.bound) {
      const match = router.match(path.replaceAll(/\{[^}]+\}/g, "x1"), method)
      expect(match?.operations.get(method)?.id).toBe(id)
    }
  })

  it("describes all of them in its OpenAPI document, whose schemas they share", () => {
    const { components, paths } = OpenApi.document(catalogue)
    const described = Object.values(paths).flatMap((item) => Object.keys(item))
    expect(described.length).toBe(catalogue.bound.length)
    expect(Object.keys(components.schemas)).toContain("PullRequestInput")
    expect(JSON.stringify(components.schemas["Person"])).toContain("#/components/schemas/Person")
  })

  it("answers nearly all plain questions with the operation that is meant among the first five", () => {
    const tools = Effect.runSync(ToolCatalogue.make(catalogue, { of: ({ price }) => price }))
    const questions: ReadonlyArray<readonly [string, string]> = [
      ["list branches of a repository", "repositories.list_branches"],
      ["which forks does a repository have?", "repositories.list_forks"],
      ["delete a webhook", "repositories.delete_webhook"],
      ["remove an SSH key of a user", "users.delete_ssh_key"],
      ["add a comment to an issue", "issues.create_comment"],
      ["change an invoice", "billing.update_invoice"],
      ["create an event in a calendar", "calendar.create_event"],
      ["get a pull request", "pull_requests.get_pull_request"],
      ["list the members of a team", "teams.list_memberships"],
      ["cancel a subscription", "billing.delete_subscription"],
      ["invite somebody to an organization", "organizations.create_invitation"],
      ["edit a label", "issues.update_label"],
      ["show all workflow runs", "actions.list_workflow_runs"],
      ["revoke a deploy key", "repositories.delete_deploy_key"],
      ["new coupon for a shop", "commerce.create_coupon"],
      ["read one document of a workspace", "documents.get_document"],
      ["list gists", "gists.list_gists"],
      ["replace the settings of a runner group", "actions.replace_runner_group"],
      ["drop a shipment", "commerce.delete_shipment"],
      ["get an analytics dashboard", "analytics.get_dashboard"]
    ]
    const found = (question: string) => tools.search(question).results.map(({ operation_id }) => operation_id)
    const missed = questions.filter(([question, id]) => !found(question).includes(`acme.${id}`))
    expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(2)
  })

  it.live("shows them in pages that stay small, and offers them to callers", () =>
    Effect.gen(function* () {
      const index = yield* ask("GET", "/docs")
      expect(index.text.match(/<a href="\/docs\/acme\./g)?.length).toBe(some.length - 1)
      const page = yield* ask("GET", "/docs/acme.issues.create_label")
      expect([page.status, page.text.length < 100_000]).toEqual([200, true])
      expect(page.text).toContain("acme.<wbr />issues.<wbr />list_<wbr />labels")
      expect(page.text).not.toContain("/docs/acme.repositories.")
      const found = yield* ask("GET", "/docs?q=delete%20a%20webhook")
      expect(found.text).toContain("/docs/acme.repositories.delete_webhook")
      const offer = yield* ask("GET", "/account/v1/operations", { authorization: `Bearer ${key}` })
      expect((offer.json() as { operations: ReadonlyArray<unknown> }).operations.length).toBe(some.length)
    }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: some })))))
  )

  it.live.skipIf(!hasChromium)("finds one of them on a phone, though the menu lists categories only", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Host
      const browser = yield* chromium
      yield* Effect.promise(async () => {
        const tab = await browser.newPage({ viewport: { width: 390, height: 844 } })
        await tab.goto(`${baseUrl}/docs`)
        const field = tab.getByRole("searchbox", { name: "Search the docs" })
        await field.fill("create_label")
        await field.press("Enter")
        await tab.getByRole("link", { name: "acme.issues.create_label" }).first().click({ trial: true })
      })
    }).pipe(
      Effect.scoped,
      Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ operations: some }))))
    )
  )
})
