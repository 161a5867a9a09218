import { defaults } from "@tollgate/contract/Names"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { sections } from "../../src/config/File.ts"
import { decoded } from "./decoded.ts"

const read = (page: string) => readFileSync(join(import.meta.dirname, "../../../../docs", page), "utf8")
const text = read("configuration.md") + read("operations.md") + read("webhooks.md")
const blocks = [...text.matchAll(/^```jsonc\n([^]*?)^```$/gm)].map(([, block]) => block ?? "")

const env = {
  STRIPE_SECRET_KEY: "k",
  STRIPE_EVENTS_SECRET: "k",
  OPENAI_API_KEY: "k",
  WEATHER_TOKEN: "t",
  SOCIAL_CLIENT_SECRET: "s3cret",
  AWS_ACCESS_KEY_ID: "AKID",
  AWS_SECRET_ACCESS_KEY: "s3cret",
  AZURE_OPENAI_API_KEY: "k",
  ENTRA_SECRET: "s3cret",
  OPERATORS_CLIENT_SECRET: "s3cret",
  GCP_KEY: JSON.stringify({ client_email: "a@b", private_key: "k", token_uri: "https://oauth2.googleapis.com/token" }),
  WEBHOOK_SECRET: `whsec_${"A".repeat(32)}`
}

describe("docs/configuration.md, operations.md and webhooks.md", () => {
  it.each(blocks)("has only valid examples: %s", (block) => {
    expect(decoded(block, env).names).toBeDefined()
  })

  it("has an example of every section", () => {
    for (const section of Object.keys(sections(defaults))) expect(blocks.join(), section).toContain(`"${section}":`)
  })
})
