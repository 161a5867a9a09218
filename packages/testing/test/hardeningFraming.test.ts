import { chunkings, chunksCarriedOut, codings, lengths } from "./hardening/framings.ts"
import { addresses, lines, unexpected } from "./hardening/lines.ts"
import { carriedOut } from "./hardening/requests.ts"
import { testAll } from "./hardening/tried.ts"

testAll("no second request is taken out of the bytes of a first", {
  "a coding": codings,
  "a length": lengths,
  "a chunk": chunkings,
  "a body": unexpected,
  "read as one": carriedOut(chunksCarriedOut)
})

testAll("what is no request, or for no address, is refused", { "a line": lines, "an address": addresses })
