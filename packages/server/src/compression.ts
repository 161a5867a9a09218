import { Compression } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

// Off the main thread. The best quality takes fifty times as long for a tenth less.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const compressors = {
  br: (bytes: Uint8Array) => promisify(brotliCompress)(bytes, brotliOptions),
  gzip: promisify<Uint8Array, Uint8Array>(gzip)
}

/** Documents of the gateway are compressed by zlib. */
export const layer: Layer.Layer<never> = Layer.succeed(Compression, (coding, bytes) =>
  Effect.promise(() => compressors[coding](bytes))
)
