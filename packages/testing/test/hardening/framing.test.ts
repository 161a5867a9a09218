import { chunkings, chunksCarriedOut, codings, lengths } from "@tollgate/testing/hardening/framings"
import { addresses, lines, unexpected } from "@tollgate/testing/hardening/lines"
import { carriedOut } from "@tollgate/testing/hardening/requests"
import { testAll } from "@tollgate/testing/hardening/tried"

testAll("no second request is taken out of the bytes of a first", {
  "a coding": codings,
  "a length": lengths,
  "a chunk": chunkings,
  "a body": unexpected,
  "read as one": carriedOut(chunksCarriedOut)
})

testAll("what is no request, or for no address, is refused", { "a line": lines, "an address": addresses })
