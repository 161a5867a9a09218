import { oversized, repeated, values } from "@tollgate/testing/hardening/heads"
import { testAll } from "@tollgate/testing/hardening/tried"

testAll("a head that is hostile", { oversized, repeated, values })
