import { Page } from "../../ui/Page.tsx"

export const OverviewPage = () => <Page title="Overview">…</Page>
