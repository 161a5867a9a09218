import { Page } from "../../../ui/Page.tsx"

export const PricesPage = () => <Page title="Prices">…</Page>
