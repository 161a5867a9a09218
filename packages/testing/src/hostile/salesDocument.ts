import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A signer of sales documents, and its public key as in a PEM file. */
export const salesSigner = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  return {
    publicKey: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
    sign: (payload: unknown, header: unknown = { alg: "EdDSA" }): string =>
      signed(privateKey, `${encode(header)}.${encode(payload)}`)
  }
}

const signed = (key: KeyObject, input: string): string =>
  `${input}.${sign(null, Buffer.from(input), key).toString("base64url")}`

/** A snapshot that was observed and expires at these times, in milliseconds since the epoch. */
export const snapshotAt = (observedAt: number, expiresAt: number, data: unknown = { total: 7 }) => ({
  observed_at: new Date(observedAt).toISOString(),
  expires_at: new Date(expiresAt).toISOString(),
  data
})
