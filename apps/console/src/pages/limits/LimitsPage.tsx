import { Page } from "../../ui/Page.tsx"

export const LimitsPage = () => <Page title="Limits">…</Page>
