import { chunkings, unusualChunks, codings, lengths } from "@tollgate/testing/hardening/framings"
import { addresses, lines, unexpected } from "@tollgate/testing/hardening/lines"
import { accepted } from "@tollgate/testing/hardening/requests"
import { testAll } from "@tollgate/testing/hardening/testAll"

testAll("no request is smuggled inside another", {
  "a coding": codings,
  "a length": lengths,
  "a chunk": chunkings,
  "a body": unexpected,
  "read as one request": accepted(unusualChunks)
})

testAll("malformed request lines and targets are refused", { "a line": lines, "an address": addresses })
