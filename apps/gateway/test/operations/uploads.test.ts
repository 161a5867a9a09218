import { createClient } from "@tollgate/node"
import { call, type FileInput, quote, resume } from "@tollgate/client/discovered"
import { createReadStream, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { beforeAll, describe, expect, it } from "vitest"
import { fileOf } from "../../src/codegen/file.ts"
import { folder } from "../program.ts"
import { get, openapi } from "./documents.ts"
import { sell } from "./selling.ts"
import { useTool } from "./useTool.ts"

const binary = { type: "string", format: "binary" }
const ok = { "200": { description: "ok", content: { "application/json": { schema: { type: "object" } } } } }
const post = (type: string, schema?: unknown, required = true) => ({
  post: { requestBody: { required, content: { [type]: schema === undefined ? {} : { schema } } }, responses: ok }
})

const document = openapi({
  "/files": post("multipart/form-data", {
    type: "object",
    required: ["file"],
    properties: { file: binary, title: { type: "string" }, tags: { type: "array", items: { type: "string" } } }
  }),
  "/raw": post("application/octet-stream", binary),
  "/kept": { put: post("application/octet-stream", binary).post },
  "/picture": post("image/*"),
  "/patch": post("application/merge-patch+json", { type: "object", properties: { n: { type: "integer" } } }),
  "/note": post("text/plain", undefined, false),
  "/plain": { ...get({ responses: ok }), delete: { responses: ok }, post: { responses: ok } }
})

const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7) % 256)

describe("an upload", () => {
  let sold: Awaited<ReturnType<typeof sell>>
  beforeAll(async () => {
    const path = join(folder(), "files.json")
    writeFileSync(path, JSON.stringify(document))
    sold = await sell(path, "--price", "0.002")
  })

  const send = async (path: string, body: BodyInit | undefined, headers: Readonly<Record<string, string>> = {}) => {
    const before = sold.requests.length
    const answer = await fetch(`${sold.address}/apis/v1/api${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${sold.key}`, ...headers },
      ...(body === undefined ? {} : { body })
    })
    const text = await answer.text()
    return {
      status: answer.status,
      code: /"code":\s*"([^"]+)"/.exec(text)?.[1],
      cost: answer.headers.get("x-tollgate-cost-micros-usd"),
      heard: sold.requests.slice(before)
    }
  }

  it("of several parts is carried byte for byte, and charged", async () => {
    const form = new FormData()
    form.append("file", new Blob([bytes], { type: "image/png" }), "a.png")
    form.append("title", "two")
    const { cost, heard, status } = await send("/files", form)
    expect([status, cost, heard.length]).toEqual([200, "2000", 1])
    const [got] = heard
    const read = await new Response(new Uint8Array(got?.body ?? []), {
      headers: { "content-type": got?.headers["content-type"] ?? "" }
    }).formData()
    expect(read.get("title")).toBe("two")
    expect(new Uint8Array(await (read.get("file") as File).arrayBuffer())).toEqual(bytes)
  })

  it("of bytes is carried with its type, and bounded", async () => {
    const { cost, heard } = await send("/raw", bytes, { "content-type": "application/octet-stream" })
    expect([cost, heard[0]?.headers["content-type"]]).toEqual(["2000", "application/octet-stream"])
    expect(new Uint8Array(heard[0]?.body ?? [])).toEqual(bytes)
    const brackets = new Uint8Array(200_000).fill(0x5b)
    expect((await send("/picture", brackets, { "content-type": "image/webp" })).heard[0]?.headers["content-type"]).toBe(
      "image/webp"
    )
    const large = await send("/raw", new Uint8Array(1_100_000), { "content-type": "application/octet-stream" })
    expect([large.status, large.heard]).toEqual([413, []])
  })

  it.each([
    ["/files", "{}", { "content-type": "application/json" }, "415 unsupported_media_type"],
    ["/files", "x", { "content-type": "multipart/form-data" }, "400 invalid_request"],
    ["/raw", "x", { "content-type": "text/plain" }, "415 unsupported_media_type"],
    ["/raw", undefined, { "content-type": "application/octet-stream" }, "400 invalid_request"],
    ["/raw", "x", { "content-type": "application/octet-stream", "content-encoding": "gzip" }, "400 invalid_request"],
    ["/picture", "x", { "content-type": "application/pdf" }, "415 unsupported_media_type"],
    ["/patch", "x", { "content-type": "application/octet-stream" }, "415 unsupported_media_type"],
    ["/plain", "{}", { "content-type": "application/json" }, "400 invalid_request"],
    ["/plain", "x", { "content-type": "application/octet-stream" }, "400 invalid_request"]
  ] as const)("%s with %j as %j is refused before a charge: %s", async (path, body, headers, expected) => {
    const { code, cost, heard, status } = await send(path, body, headers)
    expect([`${status} ${code}`, cost, heard]).toEqual([expected, null, []])
  })

  describe("with the caller's credential in it is refused before a charge", () => {
    const form = (append: (form: FormData, key: string) => void) => {
      const made = new FormData()
      made.append("file", new Blob([bytes]), "a.png")
      append(made, sold.key)
      return made
    }
    const octets = { "content-type": "application/octet-stream" }
    /** The key after so many other bytes. */
    const after = (count: number) => {
      const made = new Uint8Array(count + 50_000).fill(0x80)
      made.set(new TextEncoder().encode(sold.key), count)
      return made
    }
    const percent = () => [...sold.key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join("")
    const part = 256 * 1024
    it.each([
      [
        "in a part",
        () =>
          send(
            "/files",
            form((to, key) => to.append("title", `my ${key}`))
          )
      ],
      [
        "in the name of a part",
        () =>
          send(
            "/files",
            form((to, key) => to.append(key, "x"))
          )
      ],
      [
        "in the name of a file",
        () =>
          send(
            "/files",
            form((to, key) => to.append("b", new Blob(["x"]), `${key}.txt`))
          )
      ],
      [
        "in the type of a file",
        () =>
          send(
            "/files",
            form((to, key) => to.append("b", new Blob(["x"], { type: `a/${key}` })))
          )
      ],
      [
        "in a file",
        () =>
          send(
            "/files",
            form((to, key) => to.append("b", new Blob([`KEY=${key}\n`]), ".env"))
          )
      ],
      ["in bytes", () => send("/raw", after(10), octets)],
      ["in bytes, encoded", () => send("/raw", `a=${percent()}`, octets)],
      ["in the second part of many bytes", () => send("/raw", after(part + 1_000), octets)],
      ["between two parts", () => send("/raw", after(part - 20), octets)],
      ["at the very end", () => send("/raw", after(3 * part).subarray(0, 3 * part + sold.key.length), octets)],
      ["in text", () => send("/note", sold.key, { "content-type": "text/plain" })]
    ] as const)("%s", async (_, sending) => {
      const { code, cost, heard, status } = await sending()
      expect([status, code, cost, heard]).toEqual([400, "invalid_request", null, []])
    })

    it("but not another text that looks like it", async () => {
      const other = sold.key.slice(0, -1)
      expect((await send("/raw", other, octets)).status).toBe(200)
    })
  })

  it("of a body in chunks where none is taken is refused, and an empty one is none", async () => {
    const chunks = (text: string) => ({
      body: new ReadableStream({
        start: (controller) => {
          if (text !== "") controller.enqueue(new TextEncoder().encode(text))
          controller.close()
        }
      }),
      duplex: "half" as const
    })
    const sent = async (text: string) => {
      const headers = { authorization: `Bearer ${sold.key}` }
      return (await fetch(`${sold.address}/apis/v1/api/plain`, { method: "POST", headers, ...chunks(text) })).status
    }
    expect([await sent("{}"), await sent("")]).toEqual([400, 200])
  })

  it("may be left out where the operation says so, and JSON of another type is sent under it", async () => {
    const left = await send("/note", undefined, { "content-type": "text/plain" })
    expect([left.status, left.heard[0]?.body.length]).toEqual([200, 0])
    const patched = await send("/patch", '{"n":1}', { "content-type": "application/json" })
    expect([patched.status, patched.heard[0]?.headers["content-type"]]).toEqual([200, "application/merge-patch+json"])
    expect((await send("/patch", '{"n":"x"}', { "content-type": "application/json" })).status).toBe(400)
  })

  it("is made by a program from bytes, the same under the same key", async () => {
    const client = createClient({ baseUrl: sold.address, credential: sold.key })
    const before = sold.requests.length
    const input = { file: { bytes, contentType: "image/png", filename: "a.png" }, title: "two", tags: ["a", "b"] }
    const options = { idempotencyKey: "once" }
    await call(client, "api.post_files", input, options)
    await call(client, "api.post_files", input, options)
    await call(client, "api.post_raw", { body: bytes })
    const [form, raw, ...more] = sold.requests.slice(before)
    expect(more).toEqual([])
    const read = await new Response(new Uint8Array(form?.body ?? []), {
      headers: { "content-type": form?.headers["content-type"] ?? "" }
    }).formData()
    expect([read.get("title"), read.getAll("tags")]).toEqual(["two", ["a", "b"]])
    expect(read.get("file")).toMatchObject({ name: "a.png", type: "image/png", size: bytes.length })
    expect(new Uint8Array(raw?.body ?? [])).toEqual(bytes)
    await expect(call(client, "api.post_raw", { body: 3 })).rejects.toMatchObject({ _tag: "InputInvalid" })
    await client.close()
  })

  describe("of a program's file", () => {
    const connect = (options: object = {}) => createClient({ baseUrl: sold.address, credential: sold.key, ...options })
    const partsOf = async (heard: (typeof sold.requests)[number] | undefined) => {
      const headers = { "content-type": heard?.headers["content-type"] ?? "" }
      const file = (await new Response(new Uint8Array(heard?.body ?? []), { headers }).formData()).get("file") as File
      return { name: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) }
    }
    const inChunks = (end: (controller: ReadableStreamDefaultController<Uint8Array>) => void = (it) => it.close()) => {
      let at = 0
      const state = { isCanceled: false, reads: 0 }
      const stream = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          state.reads++
          if (at >= bytes.length) return end(controller)
          controller.enqueue(bytes.slice(at, (at += 70_000)))
        },
        cancel: () => {
          state.isCanceled = true
        }
      })
      return { state, stream }
    }
    const onDisk = () => {
      const path = join(folder(), "a.bin")
      writeFileSync(path, bytes)
      return createReadStream(path)
    }
    async function* generated() {
      yield bytes.subarray(0, 10)
      yield bytes.subarray(10)
    }

    const octets = "application/octet-stream"
    const sources: ReadonlyArray<readonly [string, () => FileInput, name: string, type: string]> = [
      ["a File", () => new File([bytes], "a.png", { type: "image/png" }), "a.png", "image/png"],
      ["a Blob", () => new Blob([bytes]), "file", octets],
      ["an ArrayBuffer", () => bytes.slice().buffer, "file", octets],
      ["a stream of the web", () => inChunks().stream, "file", octets],
      ["a stream of Node", onDisk, "file", octets],
      ["a generator", generated, "file", octets],
      [
        "a stream with a name and a type",
        () => ({ bytes: onDisk(), filename: "b.png", contentType: "image/png" }),
        "b.png",
        "image/png"
      ],
      ["a File under another name", () => ({ bytes: new File([bytes], "a.png"), filename: "c.png" }), "c.png", octets]
    ]

    it.each(sources)("%s is sent whole, as a part and as the body", async (_, source, name, type) => {
      const client = connect()
      const before = sold.requests.length
      const { cost } = await call(client, "api.post_files", { file: source(), title: "t" }).withResponse()
      await call(client, "api.post_raw", { body: source() })
      const [form, raw, ...more] = sold.requests.slice(before)
      expect([cost.micros, more]).toEqual([2000, []])
      expect(await partsOf(form)).toEqual({ name, type, bytes })
      expect(new Uint8Array(raw?.body ?? [])).toEqual(bytes)
      await client.close()
    })

    it("several of them are several parts", async () => {
      const client = connect()
      await call(client, "api.post_files", { file: [new Blob(["one"]), inChunks().stream, bytes], title: "t" })
      const heard = sold.requests.at(-1)
      const headers = { "content-type": heard?.headers["content-type"] ?? "" }
      const form = await new Response(new Uint8Array(heard?.body ?? []), { headers }).formData()
      expect(form.getAll("file").map((file) => (file as File).size)).toEqual([3, bytes.length, bytes.length])
      await client.close()
    })

    /** Loses the first answers of billed calls. */
    const losing = (count: number) => {
      let left = count
      return async (url: string, init: RequestInit) => {
        const answer = await fetch(url, init)
        if (!url.includes("/apis/") || left === 0) return answer
        left--
        await answer.arrayBuffer()
        throw new TypeError("fetch failed")
      }
    }

    it("in a stream is read once, sent by each attempt, and charged once", async () => {
      const client = connect({ fetch: losing(2) })
      const before = sold.requests.length
      const { replayed, value } = await call(client, "api.put_kept", { body: inChunks().stream }).withResponse()
      expect([replayed, value]).toEqual([true, {}])
      const [heard, ...more] = sold.requests.slice(before)
      expect([new Uint8Array(heard?.body ?? []), more]).toEqual([bytes, []])
      await client.close()
    })

    it("in a stream is sent again by resume", async () => {
      const client = connect({ fetch: losing(1), retries: 0 })
      const before = sold.requests.length
      const input = { file: inChunks().stream }
      const lost: unknown = await call(client, "api.post_files", input).catch((error: unknown) => error)
      expect(lost).toMatchObject({ _tag: "OutcomeUnknown" })
      expect(await resume(client, lost as object)).toEqual({})
      expect(sold.requests.length - before).toBe(1)
      // Calling again would send an empty file.
      await expect(call(client, "api.post_files", input)).rejects.toMatchObject({
        _tag: "InputInvalid",
        message: expect.stringContaining("read by an earlier call") as unknown
      })
      await client.close()
    })

    it("in a stream is quoted and called under a budget with one reading", async () => {
      const client = connect()
      expect(await quote(client, "api.post_files", { file: inChunks().stream })).toMatchObject({ max_micros_usd: 2000 })
      await call(client.withBudget("0.01"), "api.post_files", { file: inChunks().stream })
      expect((await partsOf(sold.requests.at(-1))).bytes).toEqual(bytes)
      await client.close()
    })

    const ended = Readable.from([Buffer.from("a")])
    ended.destroy()
    it.each([
      ["that breaks in the middle", () => inChunks((it) => it.error(new Error("the disk is gone"))).stream, "is gone"],
      ["whose chunks are no bytes", () => Readable.from([1, 2]), "no bytes"],
      ["that is locked", () => (({ stream }) => (stream.getReader(), stream))(inChunks()), "could not be read"],
      ["of Node that was closed", () => ended, "could not be read"],
      ["in a file that is not there", () => createReadStream("/nowhere/at/all"), "ENOENT"]
    ])("in a stream %s is not sent", async (_, source, reason) => {
      const client = connect()
      const before = sold.requests.length
      await expect(call(client, "api.post_raw", { body: source() })).rejects.toMatchObject({
        _tag: "InputInvalid",
        outcome: "not executed",
        message: expect.stringContaining(reason) as unknown
      })
      expect(sold.requests.length).toBe(before)
      await client.close()
    })

    it("in a stream without an end is left after 20 MiB, and a larger Blob is not read", async () => {
      const client = connect()
      const state = { isCanceled: false }
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(4 * 1024 * 1024)),
        cancel: () => {
          state.isCanceled = true
        }
      })
      const large = { _tag: "InputInvalid", message: "A file has at most 20971520 bytes" }
      await expect(call(client, "api.post_raw", { body: endless })).rejects.toMatchObject(large)
      expect(state.isCanceled).toBe(true)
      const blob = { size: 2 ** 40, type: "", arrayBuffer: () => Promise.reject(new Error("it was read")) }
      await expect(call(client, "api.post_raw", { body: blob })).rejects.toMatchObject(large)
      await client.close()
    })

    it.each([
      ["the web", () => inChunks(() => {})],
      [
        "Node",
        () => {
          const stream = new Readable({ read: () => {} })
          stream.push(bytes)
          return {
            stream,
            state: {
              get isCanceled() {
                return stream.destroyed
              },
              reads: 9
            }
          }
        }
      ]
    ])("in a stream of %s that stalls is left when the call is aborted or has no time left", async (_, make) => {
      const client = connect()
      // The contract is read once for a client, and not in the time below.
      await call(client, "api.post_raw", { body: bytes })
      const before = sold.requests.length
      const late = make()
      await expect(call(client, "api.post_raw", { body: late.stream }, { timeout: 20 })).rejects.toMatchObject({
        _tag: "TransportFailed",
        outcome: "not executed",
        code: "timeout"
      })
      const aborted = make()
      const abort = new AbortController()
      const calling = call(client, "api.post_raw", { body: aborted.stream }, { signal: abort.signal })
      await expect.poll(() => aborted.state.reads).toBeGreaterThan(5)
      abort.abort()
      await expect(calling).rejects.toMatchObject({ _tag: "CallAborted", outcome: "not executed" })
      await expect.poll(() => [late.state.isCanceled, aborted.state.isCanceled]).toEqual([true, true])
      expect(sold.requests.length).toBe(before)
      await client.close()
    })
  })

  it("is made by an agent from base64, and shown to it so", async () => {
    const before = sold.requests.length
    const details = await useTool(sold, "get_details", { operation_id: "api.post_files" })
    expect(details.structuredContent).toMatchObject({
      details: {
        input_schema: {
          properties: { file: { type: "object", required: ["base64"] }, title: { type: "string" } },
          required: ["file"]
        },
        example: { file: { base64: expect.any(String) as unknown } }
      }
    })
    const used = async (operation_id: string, given: object) =>
      (await useTool(sold, "use", { operation_id, arguments: given, max_price_usd: 0.01 })).structuredContent
    expect(await used("api.post_files", { file: { base64: "AP8=", filename: "x.bin" }, title: "t" })).toMatchObject({
      status: 200
    })
    expect(await used("api.post_raw", { body: { base64: "AP8=" } })).toMatchObject({ status: 200 })
    expect(await used("api.post_raw", { body: 3 })).toMatchObject({ error: { outcome: "not executed" } })
    const [form, raw] = sold.requests.slice(before)
    expect(form?.body.toString("latin1")).toContain(
      'filename="x.bin"\r\nContent-Type: application/octet-stream\r\n\r\n\u0000ÿ'
    )
    expect([...(raw?.body ?? [])]).toEqual([0, 255])
  })

  it("has a type in generated code", async () => {
    const file = fileOf({ document: await sold.contract(), hash: "0" }, "*post_files,*post_raw")
    expect(file).toContain("readonly file: FileInput")
    expect(file).toContain("readonly body: FileInput")
    expect(file).toContain('bodyType: "multipart/form-data"')
    expect(file).toMatch(/import \{[^}]*type FileInput/)
  })

  it("is shown as a command", async () => {
    const page = await (await fetch(`${sold.address}/docs/operations/api.post_files`)).text()
    expect(page).toContain("-F")
    expect(page).toContain("multipart/form-data")
  })
})
