import { oversized, repeated, values } from "@tollgate/testing/hardening/heads"
import { testAll } from "@tollgate/testing/hardening/testAll"

testAll("hostile headers", { oversized, repeated, values })
