import * as Effect from "effect/Effect"
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, type GenerateKeyPairResult } from "jose"
import type { ServerResponse } from "node:http"
import { httpUpstream } from "../upstream.ts"

export interface SigningKey extends GenerateKeyPairResult {
  readonly kid: string
  readonly alg: string
}

export const newKey = (kid: string, alg = "ES256") =>
  Effect.promise(async (): Promise<SigningKey> => ({
    ...(await generateKeyPair(alg, { extractable: true })),
    kid,
    alg
  }))

/** A token of this payload. The header's `kid` is the key's unless the test says otherwise. */
export const sign = (key: SigningKey, payload: JWTPayload, header: object = {}) =>
  Effect.promise(() =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "at+jwt", ...header })
      .sign(key.privateKey)
  )

const publicOf = async ({ alg, kid, publicKey }: SigningKey) => ({
  ...(await exportJWK(publicKey)),
  kid,
  alg,
  use: "sig"
})

type Answer = (res: ServerResponse) => void

const json =
  (body: object): Answer =>
  (res) =>
    void res.setHeader("content-type", "application/json").end(JSON.stringify(body))

/** An issuer on a port of its own. `answers` may be replaced while it runs; `asked` counts its requests by path. */
export const externalIssuer = Effect.fnUntraced(function* () {
  const answers = new Map<string, Answer>()
  const asked: Array<string> = []
  const { port } = yield* httpUpstream((res, { url }) => {
    asked.push(url)
    const answer = answers.get(url)
    if (answer === undefined) res.writeHead(404).end()
    else answer(res)
  })
  const issuer = `http://127.0.0.1:${port}`
  const metadata = (more: object) =>
    answers.set("/.well-known/oauth-authorization-server", json({ issuer, jwks_uri: `${issuer}/jwks`, ...more }))
  metadata({})
  return {
    issuer,
    asked,
    answers,
    metadata,
    /** Publishes these keys and no others. */
    publish: (...keys: ReadonlyArray<SigningKey>) =>
      Effect.promise(async () => {
        answers.set("/jwks", json({ keys: await Promise.all(keys.map(publicOf)) }))
      }),
    /** Every connection is closed without an answer. */
    goDown: () => {
      const before = new Map(answers)
      for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/jwks"]) {
        answers.set(path, (res) => void res.destroy())
      }
      return () => {
        answers.clear()
        for (const [path, answer] of before) answers.set(path, answer)
      }
    }
  }
})
