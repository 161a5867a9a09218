/** What the source of each folder may import besides itself: the table of ARCHITECTURE.md. */
export const rooms: Readonly<Record<string, ReadonlyArray<string> | "anything">> = {
  "packages/protocols": [],
  "packages/contract": ["effect"],
  "packages/client": ["effect", "packages/contract", "@opentelemetry/api"],
  "packages/ledger": ["effect", "packages/contract"],
  "packages/gateway": ["effect", "packages/protocols", "packages/contract", "packages/ledger", "minisearch"],
  "packages/tools": [
    "effect",
    "packages/protocols",
    "packages/contract",
    "packages/ledger",
    "packages/gateway",
    "minisearch"
  ],
  "packages/sandbox": ["effect", "packages/protocols", "packages/contract"],
  "packages/node": ["effect", "packages/contract", "packages/client", "node:*", "undici", "@opentelemetry/api"],
  "packages/server": [
    "effect",
    "packages/protocols",
    "packages/contract",
    "packages/ledger",
    "packages/gateway",
    "minisearch",
    "packages/sandbox",
    "packages/node",
    "node:*",
    "undici",
    "pg",
    "redis",
    "stripe",
    "oidc-provider",
    "openid-client",
    "jose"
  ],
  "packages/browser": ["effect", "packages/contract", "packages/client"],
  "packages/react": ["effect", "packages/contract", "packages/client", "packages/browser", "react"],
  "packages/ai": ["effect", "packages/protocols", "packages/contract", "packages/client", "@ai-sdk/provider"],
  "packages/testing": "anything",
  "apps/gateway": "anything",
  "apps/console": [
    "effect",
    "packages/contract",
    "packages/client",
    "packages/browser",
    "packages/react",
    "preact",
    "react",
    "react-dom",
    "@tanstack/react-router",
    "virtual:theme.css"
  ]
}

/** Tooling that must not import packages. The bench may: it runs them. */
export const outside = ["tooling/check", "tooling/lint", "tooling/release"]
