import { chats, compressed, depths, queries, sizes, texts } from "@tollgate/testing/hardening/bodies"
import { testAll } from "@tollgate/testing/hardening/testAll"

testAll("hostile bodies", { compressed, depths, chats, texts, sizes })
testAll("hostile queries", { queries })
