import { Page } from "../../ui/Page.tsx"

export const CallPage = () => <Page title="Call">…</Page>
