import { describe, expect, it } from "@effect/vitest"
import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { toEvents } from "@tollgate/gateway/upstream/cloud/bedrock"
import { type Frame, FrameReader } from "@tollgate/gateway/upstream/cloud/eventStream"
import { chunkFrame, frame } from "@tollgate/testing/cloud/frames"

const hex = (text: string): Uint8Array => Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))

// The figures are those of AWS's test vectors for event streams.
const good = {
  empty_message: "000000100000000005c248eb7d98c8ff",
  int32_header: "0000002b0000000e348bec7b086576656e742d6964040000a00c7b27666f6f273a27626172277dd3890285",
  payload_no_headers: "0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936",
  payload_one_str_header:
    "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1"
}
const bad = {
  corrupted_headers:
    "0000003d0000002007fd83960c636f6e74656e742b747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1",
  corrupted_header_len:
    "0000003d0000012007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1",
  corrupted_length: "0100001d00000000fd528c5a7b27666f6f273a27626172277dc3653936",
  corrupted_payload: "0000001d00000000fd528c5a7b27666f6f273a27626172278dc3653936"
}

const readAll = (...chunks: ReadonlyArray<Uint8Array>) => {
  const reader = new FrameReader(1_000_000)
  const frames: Array<Frame> = []
  let problem: NotCarried | undefined
  for (const chunk of chunks) {
    problem ??= reader.push(chunk, (frame) => {
      frames.push(frame)
      return undefined
    })
  }
  return { frames, problem, isWithin: reader.isWithin }
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

describe("frames of AWS's event streams", () => {
  it("reads AWS's vectors", () => {
    for (const [name, encoded] of Object.entries(good)) {
      const { frames, isWithin, problem } = readAll(hex(encoded))
      expect([name, problem, isWithin, frames.length]).toEqual([name, undefined, false, 1])
      expect(text(frames[0]?.payload ?? new Uint8Array())).toBe(name === "empty_message" ? "" : "{'foo':'bar'}")
    }
    const { frames } = readAll(hex(good.payload_one_str_header))
    expect(frames[0]?.headers.get("content-type")).toBe("application/json")
  })

  it("refuses AWS's damaged vectors", () => {
    for (const [name, encoded] of Object.entries(bad)) {
      const { frames, problem } = readAll(hex(encoded))
      expect([name, problem?.why, frames.length]).toEqual([name, "broken", 0])
    }
  })

  it("notices any single changed byte", () => {
    const whole = chunkFrame({ type: "ping" })
    for (let at = 0; at < whole.length; at++) {
      const damaged = whole.map((byte, i) => (i === at ? byte ^ 0x10 : byte))
      const { frames, isWithin, problem } = readAll(damaged)
      expect([at, frames.length, problem !== undefined || isWithin]).toEqual([at, 0, true])
      expect(problem).toBeDefined()
    }
  })

  it("finds the same frames however they are cut", () => {
    const all = [...Object.values(good).map(hex), chunkFrame({ type: "ping" })]
    const bytes = Uint8Array.from(all.flatMap((frame) => [...frame]))
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const sorted = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const { frames, isWithin, problem } = readAll(...sorted.map((at, i) => bytes.subarray(sorted[i - 1] ?? 0, at)))
        expect([frames.length, isWithin, problem]).toEqual([all.length, false, undefined])
      })
    )
  })

  it("never throws and never loops on any bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 8 }), (chunks) => {
        readAll(...chunks)
      })
    )
    // The checksums are right, the headers inside are not.
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (headers, payload) => {
        const { frames, problem } = readAll(frame(headers, payload))
        expect(frames.length + (problem === undefined ? 0 : 1)).toBe(1)
      })
    )
  })

  it("holds no frame that is longer than allowed", () => {
    const { problem } = readAll(frame(new Uint8Array(), new Uint8Array(1_000_000)).subarray(0, 100))
    expect(problem?.why).toBe("too large")
  })
})

const events = (...chunks: ReadonlyArray<Uint8Array>) =>
  Effect.gen(function* () {
    let seen = ""
    const exit = yield* Effect.exit(
      Stream.runForEach(toEvents(Stream.fromIterable(chunks), 10_000), (bytes) =>
        Effect.sync(() => void (seen += text(bytes)))
      )
    )
    return { seen, failed: Exit.isFailure(exit) ? String(exit.cause) : undefined }
  })

describe("an event stream as server-sent events", () => {
  it.effect("has the events that the frames hold, by their names", () =>
    Effect.gen(function* () {
      const spaced = new TextEncoder().encode('{"type":"a",\n\r\n"n":12345678901234567890}')
      const { failed, seen } = yield* events(chunkFrame({ type: "ping" }), chunkFrame(spaced), chunkFrame([1]))
      expect(failed).toBeUndefined()
      expect(seen).toBe(
        'event: ping\ndata: {"type":"ping"}\n\nevent: a\ndata: {"type":"a", "n":12345678901234567890}\n\ndata: [1]\n\n'
      )
    })
  )

  it.effect("gives the events before a bad frame, and then fails", () =>
    Effect.gen(function* () {
      const second = chunkFrame({ type: "b" })
      second[second.length - 1]! ^= 1
      const both = new Uint8Array([...chunkFrame({ type: "a" }), ...second])
      const { failed, seen } = yield* events(both, chunkFrame({ type: "c" }))
      expect(seen).toBe('event: a\ndata: {"type":"a"}\n\n')
      expect(failed).toContain("NotCarried")
    })
  )

  it.effect("fails if it ends within a frame", () =>
    Effect.gen(function* () {
      const whole = chunkFrame({ type: "a" })
      expect((yield* events(whole, whole.subarray(0, 20))).failed).toContain("NotCarried")
      expect((yield* events(whole, whole.subarray(0, 3))).failed).toContain("NotCarried")
      expect((yield* events(whole)).failed).toBeUndefined()
    })
  )

  it.effect("fails if a frame's checksums are right and its payload is nothing", () =>
    Effect.gen(function* () {
      for (const payload of ["", "{}", '{"bytes":1}', '{"bytes":"%%%"}']) {
        const headers = { ":message-type": "event", ":event-type": "chunk" }
        expect((yield* events(frame(headers, new TextEncoder().encode(payload)))).failed).toContain("NotCarried")
      }
    })
  )
})
