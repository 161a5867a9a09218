export * from "@tollgate/contract/carrier/HttpCarrier"
