import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { filesPath, type KeptFiles } from "../../../kept/KeptFiles.ts"
import { sniff } from "./sniff.ts"

/** A browser shows nothing but pictures and sounds, and runs nothing. */
const headers = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": "private, no-store",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex"
}

const text = (status: number, body: string, more: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(body, { status, headers: { ...headers, ...more } })

const notFound = text(404, "There is no such file, or its time is over.\n")
const notAllowed = text(405, "A file can only be read.\n", { allow: "GET, HEAD" })

/** Serves a file to whoever has its address. */
export const serveFile = (
  files: KeptFiles | undefined,
  { method }: HttpServerRequest,
  path: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (method !== "GET" && method !== "HEAD") return Effect.succeed(notAllowed)
  if (files === undefined) return Effect.succeed(notFound)
  return Effect.map(files.open(path.slice(filesPath.length)), (file) => {
    if (file === undefined) return notFound
    const { kind, mimeType } = sniff(file.bytes, file.contentType)
    const contentType = kind === "file" ? "application/octet-stream" : mimeType
    const disposition = kind === "file" ? "attachment" : "inline"
    return HttpServerResponse.uint8Array(file.bytes, {
      contentType,
      headers: { ...headers, "content-disposition": disposition }
    })
  })
}
