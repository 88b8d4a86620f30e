"""Real-looking short documents whose subject is what walls are made of."""

from __future__ import annotations

SHORT_POLICIES: tuple[tuple[str, str, str], ...] = (
    (
        "en",
        "Cookie Policy",
        "This policy explains which cookies we use and why. Necessary cookies keep you signed in. Analytics cookies are set only after you accept them. You can change your preferences at any time in the settings of your browser.",
    ),
    (
        "en",
        "Login and Password Policy",
        "Users must log in with a personal account. Passwords have at least 14 characters. A forgotten password is reset by the service desk after the identity of the user has been verified.",
    ),
    (
        "en",
        "Scheduled Maintenance Policy",
        "The service is unavailable during scheduled maintenance, which takes place on Sundays between 02:00 and 04:00 UTC. We announce planned maintenance at least five working days in advance.",
    ),
    (
        "en",
        "Error Handling Standard",
        "A service answers 404 where the page is not found and 500 where an unexpected error occurred. Error pages never show a stack trace. An incident number is shown so that support can find the log.",
    ),
    (
        "en",
        "Acceptable Use of Automated Access",
        "Robots may read our public pages if they follow robots.txt. We may ask a client to prove that it is human. Access is denied to clients that send too many requests.",
    ),
    (
        "en",
        "Waiting Room Rules",
        "Patients wait in the waiting room until their number is called. The estimated waiting time is shown on the screen. Visitors must not block the queue.",
    ),
    (
        "en",
        "JavaScript Coding Guideline",
        "Pages must work when JavaScript is disabled. A page that needs JavaScript says so and tells how to enable it.",
    ),
    (
        "en",
        "Age Verification Procedure",
        "Staff ask every customer who looks younger than 25 to confirm that they are over 18. Sales are refused where no proof of age is shown.",
    ),
    ("en", "Records", "We keep invoices for 30 days."),
    (
        "en",
        "Data Retention",
        "Account data is deleted 30 days after you close your account. Backups are removed after 90 days. Logs are kept for one year unless the law requires more.",
    ),
    (
        "en",
        "Consent",
        "We process your personal data only with your consent. You may withdraw your consent at any time. Withdrawal does not affect processing before it.",
    ),
    (
        "en",
        "Document Retention Notice",
        "The document is no longer available to staff after seven years. It has been moved to the archive, where the records office can find it.",
    ),
    (
        "en",
        "Account Suspension Policy",
        "An account is suspended when a payment fails. A suspended account can be restored within 60 days. After that it is deleted.",
    ),
    (
        "en",
        "Session Timeout Standard",
        "A session ends after 15 minutes without activity. Users must sign in again when their session has expired.",
    ),
    (
        "de",
        "Cookie-Richtlinie",
        "Wir verwenden Cookies, um die Anmeldung zu ermöglichen. Sie können Ihre Einwilligung jederzeit widerrufen und die Einstellungen ändern.",
    ),
    (
        "de",
        "Passwortrichtlinie",
        "Benutzer melden sich mit Benutzername und Kennwort an. Wer das Passwort vergessen hat, wendet sich an den Helpdesk.",
    ),
    (
        "de",
        "Wartungsordnung",
        "Wartungsarbeiten finden sonntags statt. Während der Wartung ist das System vorübergehend nicht verfügbar.",
    ),
    ("de", "Aufbewahrung", "Rechnungen werden zehn Jahre aufbewahrt. Danach werden sie gelöscht."),
    (
        "fr",
        "Politique de cookies",
        "Nous utilisons des cookies pour vous reconnaître. Vous pouvez accepter ou refuser les cookies à tout moment dans les paramètres.",
    ),
    (
        "fr",
        "Charte d'accès",
        "L'accès aux documents est réservé aux personnes identifiées. En cas d'oubli du mot de passe, contactez le support.",
    ),
    ("fr", "Conservation", "Les factures sont conservées pendant dix ans puis supprimées."),
    (
        "es",
        "Política de cookies",
        "Utilizamos cookies propias y de terceros. Puede aceptar todas las cookies o configurar sus preferencias.",
    ),
    (
        "es",
        "Política de mantenimiento",
        "El servicio no estará disponible durante las tareas de mantenimiento programadas.",
    ),
    (
        "it",
        "Informativa sui cookie",
        "Utilizziamo cookie tecnici e, previo consenso, cookie di profilazione. Puoi gestire le preferenze in ogni momento.",
    ),
    (
        "pt",
        "Política de privacidade",
        "Utilizamos cookies para melhorar o serviço. Pode aceitar ou recusar cookies nas definições.",
    ),
    (
        "nl",
        "Cookiebeleid",
        "Wij gebruiken cookies om u aangemeld te houden. U kunt uw toestemming altijd intrekken.",
    ),
    (
        "pl",
        "Polityka cookies",
        "Używamy plików cookie, aby zapamiętać Twoje ustawienia. Możesz w każdej chwili wycofać zgodę.",
    ),
    (
        "ru",
        "Политика использования файлов cookie",
        "Мы используем файлы cookie, чтобы сохранять настройки. Вы можете отозвать согласие в любое время.",
    ),
    (
        "ja",
        "クッキーポリシー",
        "当社はログイン状態を保持するためにクッキーを使用します。利用者はいつでも設定を変更できます。",
    ),
    ("zh", "隐私政策", "我们使用 Cookie 保存您的登录状态。您可以随时撤回同意。"),
    (
        "ko",
        "쿠키 방침",
        "당사는 로그인 상태를 유지하기 위해 쿠키를 사용합니다. 이용자는 언제든지 동의를 철회할 수 있습니다.",
    ),
)


def short_page(language: str, title: str, text: str) -> str:
    """The document as a small page with a site's menu and search."""
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>'
        f'</head><body><nav><a href="/">Home</a> <a href="/login">Log in</a></nav>'
        f"<main><h1>{title}</h1><p>{text}</p></main>"
        f'<footer><form><input type="search" name="q"></form><a href="/cookies">Cookies</a></footer>'
        "</body></html>"
    )
