"""What pages say that are not the document, written for these tests in many languages.

Each entry: language, kind, title, first heading, paragraphs, buttons, extras
(markup that such a page has). The wording was chosen without looking at the
phrases that the program knows.
"""

from __future__ import annotations

from typing import NamedTuple


class Wall(NamedTuple):
    language: str
    kind: str
    title: str
    heading: str
    paragraphs: tuple[str, ...]
    buttons: tuple[str, ...] = ()
    extras: str = ""


LOGIN_FORM = (
    '<form method="post"><input type="text" name="u"><input type="password" name="p">'
    '<input type="checkbox" name="r"></form>'
)
CAPTCHA = '<script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script><div class="cf-turnstile"></div>'
RELOAD = '<meta http-equiv="refresh" content="20">'
SEARCH = '<form action="/search"><input type="search" name="q"></form>'
CHOICES = '<form><input type="checkbox" name="ads"><input type="checkbox" name="stats"></form>'

WALLS: tuple[Wall, ...] = (
    # --- English
    Wall(
        "en",
        "soft_404",
        "Northwind | Missing",
        "We looked everywhere",
        (
            "The page you were trying to reach cannot be found. It may have been moved, or the link you followed is out of date.",
            "Try the search box or start again from our front page.",
        ),
        ("Search",),
        SEARCH,
    ),
    Wall(
        "en",
        "soft_404",
        "Page Not Found - Harbor Bank",
        "404",
        ("Sorry, this page doesn't exist any more.",),
        ("Back to home",),
    ),
    Wall(
        "en",
        "soft_404",
        "Error",
        "Something went wrong",
        ("We are having technical difficulties. Our team has been told. Reference: 7c2e-11.",),
    ),
    Wall(
        "en",
        "soft_404",
        "Fabrikam Legal",
        "Document unavailable",
        (
            "The document you requested is no longer available on this site.",
            "Contact legal@fabrikam.example if you need a copy.",
        ),
    ),
    Wall(
        "en",
        "login_wall",
        "Sign in · Contoso Trust Portal",
        "Sign in",
        ("Use your Contoso account to open the trust portal.",),
        ("Next", "Can't access your account?"),
        LOGIN_FORM,
    ),
    Wall(
        "en",
        "login_wall",
        "Vendor Portal",
        "Welcome back",
        (
            "Enter your email and password to see this document. Forgot your password? Create an account.",
        ),
        ("Continue",),
        LOGIN_FORM,
    ),
    Wall(
        "en",
        "login_wall",
        "Subscriber content",
        "This content is for members only",
        ("Please log in or subscribe to read the full text of this agreement.",),
        ("Log in", "Subscribe"),
    ),
    Wall(
        "en",
        "login_wall",
        "Session ended",
        "Your session has expired",
        ("For your security we have signed you out. Please sign in again to continue.",),
        ("Sign in",),
    ),
    Wall(
        "en",
        "consent_wall",
        "Before you continue",
        "Your privacy choices",
        (
            "We and our 843 partners store and access information on your device, such as cookies, to personalise ads and measure audiences. You can change your choices at any time.",
        ),
        ("Accept all", "Reject all", "Manage options"),
        CHOICES,
    ),
    Wall(
        "en",
        "consent_wall",
        "Cookie preferences",
        "We value your privacy",
        ("This website uses cookies. Choose which ones we may set before entering the site.",),
        ("Allow all", "Only necessary", "Save my choices"),
        CHOICES,
    ),
    Wall(
        "en",
        "consent_wall",
        "Please confirm your age",
        "Are you over 18?",
        ("You must confirm that you are of legal drinking age to enter this site.",),
        ("Yes, I am", "No"),
    ),
    Wall(
        "en",
        "bot_wall",
        "Just a moment...",
        "northwind.example",
        (
            "Checking if the site connection is secure. This process is automatic; your browser will be redirected shortly.",
        ),
        (),
        CAPTCHA,
    ),
    Wall(
        "en",
        "bot_wall",
        "Access Denied",
        "Access Denied",
        (
            'You don\'t have permission to access "http://www.example.com/privacy" on this server.',
            "Reference #18.9a3c1002.1735",
        ),
    ),
    Wall(
        "en",
        "bot_wall",
        "Security check",
        "One more step",
        (
            "Please complete the security check to access northwind.example. Why do I have to complete a CAPTCHA?",
        ),
        ("I am human",),
        '<div class="h-captcha"></div>',
    ),
    Wall(
        "en",
        "bot_wall",
        "Sorry!",
        "Sorry, you have been blocked",
        (
            "You are unable to access this site. The action you just performed triggered the security solution.",
            "Your IP: 198.51.100.7",
        ),
    ),
    Wall(
        "en",
        "bot_wall",
        "Unavailable",
        "Not available in your region",
        ("Due to legal restrictions this website is not available in your country at this time.",),
    ),
    Wall(
        "en",
        "waiting_room",
        "Waiting room",
        "You are now in line",
        (
            "Your estimated wait time is 6 minutes. This page will refresh by itself, please don't close it.",
        ),
        (),
        RELOAD,
    ),
    Wall(
        "en",
        "waiting_room",
        "High traffic",
        "Thank you for your patience",
        (
            "A lot of people are visiting us right now. There are 2,413 users ahead of you in the queue.",
        ),
        (),
        RELOAD,
    ),
    Wall(
        "en",
        "maintenance",
        "We'll be right back",
        "Scheduled maintenance",
        (
            "Our site is down for planned maintenance and will be available again at 06:00 UTC. We apologise for any inconvenience.",
        ),
    ),
    Wall(
        "en",
        "maintenance",
        "Upgrading",
        "We are improving things",
        (
            "The service is temporarily unavailable while we upgrade our systems. Please check back soon.",
        ),
    ),
    Wall(
        "en",
        "maintenance",
        "Coming soon",
        "Coming soon",
        ("Our new website is under construction.",),
    ),
    # --- German
    Wall(
        "de",
        "soft_404",
        "Fehler 404 – Stadtwerke Musterstadt",
        "Diese Seite haben wir leider nicht gefunden",
        ("Möglicherweise wurde die Seite verschoben oder gelöscht.",),
        ("Zur Startseite",),
    ),
    Wall(
        "de",
        "soft_404",
        "Nicht vorhanden",
        "Ups!",
        ("Die gewünschte Seite existiert nicht oder nicht mehr. Bitte prüfen Sie die Adresse.",),
        ("Suche",),
        SEARCH,
    ),
    Wall(
        "de",
        "login_wall",
        "Anmeldung | Kundenportal",
        "Bitte melden Sie sich an",
        (
            "Für den Zugriff auf dieses Dokument ist eine Anmeldung erforderlich. Passwort vergessen?",
        ),
        ("Anmelden",),
        LOGIN_FORM,
    ),
    Wall(
        "de",
        "login_wall",
        "Nur für Abonnenten",
        "Weiterlesen mit Abo",
        ("Dieser Inhalt steht nur angemeldeten Abonnenten zur Verfügung.",),
        ("Einloggen", "Abo abschließen"),
    ),
    Wall(
        "de",
        "consent_wall",
        "Ihre Privatsphäre ist uns wichtig",
        "Bevor Sie weiterlesen",
        (
            "Wir und unsere Partner verwenden Cookies und verarbeiten personenbezogene Daten, um Inhalte zu personalisieren.",
        ),
        ("Alle akzeptieren", "Ablehnen", "Einstellungen"),
        CHOICES,
    ),
    Wall(
        "de",
        "bot_wall",
        "Einen Moment bitte",
        "Sicherheitsüberprüfung",
        ("Wir prüfen, ob Sie ein Mensch sind. Das kann einige Sekunden dauern.",),
        (),
        CAPTCHA,
    ),
    Wall(
        "de",
        "bot_wall",
        "Zugriff verweigert",
        "Zugriff verweigert",
        ("Ihre Anfrage wurde aus Sicherheitsgründen blockiert. Vorgangsnummer 88121.",),
    ),
    Wall(
        "de",
        "waiting_room",
        "Warteraum",
        "Sie befinden sich in der Warteschlange",
        (
            "Ihre voraussichtliche Wartezeit beträgt 4 Minuten. Die Seite wird automatisch aktualisiert.",
        ),
        (),
        RELOAD,
    ),
    Wall(
        "de",
        "maintenance",
        "Wartungsarbeiten",
        "Wir sind gleich zurück",
        (
            "Wegen Wartungsarbeiten ist unser Angebot vorübergehend nicht erreichbar. Wir bitten um Ihr Verständnis.",
        ),
    ),
    Wall(
        "de",
        "script_shell",
        "Portal",
        "",
        ("Bitte aktivieren Sie JavaScript, um diese Anwendung zu nutzen.",),
        (),
        '<div id="root"></div><script>var a="' + "x" * 900 + '"</script>',
    ),
    # --- French
    Wall(
        "fr",
        "soft_404",
        "Page introuvable - Mairie",
        "Oups, page introuvable",
        ("La page que vous recherchez n'existe plus ou a changé d'adresse.",),
        ("Retour à l'accueil",),
    ),
    Wall(
        "fr",
        "soft_404",
        "Erreur",
        "Une erreur est survenue",
        ("Nous ne parvenons pas à afficher ce contenu. Veuillez réessayer plus tard.",),
    ),
    Wall(
        "fr",
        "login_wall",
        "Connexion",
        "Connectez-vous",
        ("Vous devez être identifié pour consulter ce document. Mot de passe oublié ?",),
        ("Se connecter",),
        LOGIN_FORM,
    ),
    Wall(
        "fr",
        "consent_wall",
        "Le respect de votre vie privée est notre priorité",
        "Avant de poursuivre votre navigation",
        (
            "Avec votre accord, nos partenaires et nous utilisons des cookies pour mesurer l'audience et afficher des publicités personnalisées.",
        ),
        ("Tout accepter", "Continuer sans accepter", "Paramétrer"),
        CHOICES,
    ),
    Wall(
        "fr",
        "bot_wall",
        "Accès refusé",
        "Accès refusé",
        (
            "Une activité inhabituelle a été détectée depuis votre réseau. Confirmez que vous n'êtes pas un robot.",
        ),
        (),
        CAPTCHA,
    ),
    Wall(
        "fr",
        "waiting_room",
        "File d'attente",
        "Vous êtes dans la file d'attente",
        ("Le temps d'attente estimé est de 3 minutes. Ne fermez pas cette fenêtre.",),
        (),
        RELOAD,
    ),
    Wall(
        "fr",
        "maintenance",
        "Site en maintenance",
        "Nous revenons bientôt",
        ("Le site est actuellement indisponible en raison d'une opération de maintenance.",),
    ),
    # --- Spanish
    Wall(
        "es",
        "soft_404",
        "Página no encontrada",
        "¡Vaya! No encontramos esa página",
        ("Es posible que el enlace esté roto o que la página se haya eliminado.",),
        ("Volver al inicio",),
    ),
    Wall(
        "es",
        "soft_404",
        "Error 500",
        "Se ha producido un error",
        ("Estamos trabajando para solucionarlo.",),
    ),
    Wall(
        "es",
        "login_wall",
        "Acceso clientes",
        "Inicia sesión",
        ("Debes iniciar sesión para ver esta página. ¿Olvidaste tu contraseña?",),
        ("Entrar",),
        LOGIN_FORM,
    ),
    Wall(
        "es",
        "consent_wall",
        "Tu privacidad nos importa",
        "Antes de continuar",
        (
            "Nosotros y nuestros socios utilizamos cookies para almacenar información en tu dispositivo y mostrar anuncios.",
        ),
        ("Aceptar todo", "Rechazar todo", "Configurar"),
        CHOICES,
    ),
    Wall(
        "es",
        "bot_wall",
        "Comprobación de seguridad",
        "Verifica que eres humano",
        ("Espera unos segundos mientras comprobamos tu navegador.",),
        (),
        CAPTCHA,
    ),
    Wall(
        "es",
        "waiting_room",
        "Sala de espera",
        "Estás en la cola virtual",
        ("Tiempo de espera aproximado: 8 minutos. No cierres esta ventana.",),
        (),
        RELOAD,
    ),
    Wall(
        "es",
        "maintenance",
        "En mantenimiento",
        "Volvemos enseguida",
        ("Estamos realizando tareas de mantenimiento. Disculpa las molestias.",),
    ),
    # --- Italian
    Wall(
        "it",
        "soft_404",
        "Pagina non trovata",
        "Ops! Pagina non trovata",
        ("La pagina che cerchi non esiste o è stata spostata.",),
        ("Torna alla home",),
    ),
    Wall(
        "it",
        "login_wall",
        "Area riservata",
        "Accedi",
        ("Per visualizzare il documento devi effettuare l'accesso. Password dimenticata?",),
        ("Accedi",),
        LOGIN_FORM,
    ),
    Wall(
        "it",
        "consent_wall",
        "La tua privacy",
        "Prima di continuare",
        ("Noi e i nostri partner utilizziamo cookie per personalizzare i contenuti.",),
        ("Accetta tutto", "Rifiuta", "Personalizza"),
        CHOICES,
    ),
    Wall(
        "it",
        "bot_wall",
        "Accesso negato",
        "Accesso negato",
        ("La tua richiesta è stata bloccata dal sistema di sicurezza.",),
    ),
    Wall(
        "it",
        "maintenance",
        "Sito in manutenzione",
        "Torniamo presto",
        ("Il sito è temporaneamente non disponibile per lavori di manutenzione.",),
    ),
    # --- Portuguese
    Wall(
        "pt",
        "soft_404",
        "Página não encontrada",
        "Página não encontrada",
        ("O conteúdo que procura não existe ou foi removido.",),
        ("Voltar à página inicial",),
    ),
    Wall(
        "pt",
        "login_wall",
        "Entrar",
        "Faça login para continuar",
        ("Esqueceu a sua senha? Ainda não tem conta?",),
        ("Entrar",),
        LOGIN_FORM,
    ),
    Wall(
        "pt",
        "consent_wall",
        "A sua privacidade é importante",
        "Antes de continuar",
        ("Nós e os nossos parceiros utilizamos cookies para apresentar anúncios personalizados.",),
        ("Aceitar tudo", "Rejeitar tudo"),
        CHOICES,
    ),
    Wall(
        "pt",
        "waiting_room",
        "Fila de espera",
        "Você está na fila virtual",
        ("O tempo estimado de espera é de 10 minutos. Não atualize a página.",),
        (),
        RELOAD,
    ),
    Wall(
        "pt",
        "maintenance",
        "Em manutenção",
        "Voltamos em breve",
        ("O nosso site está em manutenção programada.",),
    ),
    # --- Dutch
    Wall(
        "nl",
        "soft_404",
        "Pagina niet gevonden",
        "Helaas, deze pagina bestaat niet",
        ("Controleer het adres of ga terug naar de homepage.",),
        ("Naar de homepage",),
    ),
    Wall(
        "nl",
        "login_wall",
        "Inloggen",
        "Log in om verder te gaan",
        ("U moet ingelogd zijn om dit document te bekijken. Wachtwoord vergeten?",),
        ("Inloggen",),
        LOGIN_FORM,
    ),
    Wall(
        "nl",
        "consent_wall",
        "Uw privacy",
        "Voordat u verder gaat",
        ("Wij en onze partners gebruiken cookies om advertenties te tonen die bij u passen.",),
        ("Alles accepteren", "Weigeren", "Voorkeuren"),
        CHOICES,
    ),
    Wall(
        "nl",
        "maintenance",
        "Onderhoud",
        "We zijn zo terug",
        ("Wegens gepland onderhoud is de website tijdelijk niet beschikbaar.",),
    ),
    # --- Polish
    Wall(
        "pl",
        "soft_404",
        "Błąd 404",
        "Nie znaleziono strony",
        ("Strona, której szukasz, nie istnieje lub została usunięta.",),
        ("Strona główna",),
    ),
    Wall(
        "pl",
        "login_wall",
        "Logowanie",
        "Zaloguj się",
        ("Aby zobaczyć dokument, musisz się zalogować. Nie pamiętasz hasła?",),
        ("Zaloguj",),
        LOGIN_FORM,
    ),
    Wall(
        "pl",
        "consent_wall",
        "Cenimy Twoją prywatność",
        "Zanim przejdziesz dalej",
        ("My i nasi partnerzy używamy plików cookie, aby dopasować reklamy.",),
        ("Akceptuję wszystkie", "Odrzuć", "Ustawienia"),
        CHOICES,
    ),
    Wall(
        "pl",
        "bot_wall",
        "Dostęp zablokowany",
        "Dostęp zabroniony",
        ("Potwierdź, że nie jesteś robotem.",),
        (),
        CAPTCHA,
    ),
    Wall(
        "pl",
        "maintenance",
        "Przerwa techniczna",
        "Wkrótce wracamy",
        ("Trwają prace konserwacyjne. Przepraszamy za niedogodności.",),
    ),
    # --- Russian, Ukrainian
    Wall(
        "ru",
        "soft_404",
        "Страница не найдена",
        "Ошибка 404",
        ("Такой страницы больше нет. Возможно, она была удалена или перенесена.",),
        ("На главную",),
    ),
    Wall(
        "ru",
        "login_wall",
        "Вход",
        "Войдите в аккаунт",
        ("Чтобы прочитать документ, необходимо авторизоваться. Забыли пароль?",),
        ("Войти",),
        LOGIN_FORM,
    ),
    Wall(
        "ru",
        "bot_wall",
        "Проверка",
        "Подтвердите, что вы не робот",
        ("Мы зафиксировали подозрительную активность с вашего адреса.",),
        (),
        CAPTCHA,
    ),
    Wall(
        "ru",
        "maintenance",
        "Технические работы",
        "Сайт временно недоступен",
        ("Ведутся технические работы. Попробуйте зайти позже.",),
    ),
    Wall(
        "ru",
        "waiting_room",
        "Очередь",
        "Вы в очереди",
        ("Примерное время ожидания: 5 минут. Страница обновится автоматически.",),
        (),
        RELOAD,
    ),
    Wall(
        "uk",
        "soft_404",
        "Сторінку не знайдено",
        "Сторінку не знайдено",
        ("Можливо, її було видалено або переміщено.",),
        ("На головну",),
    ),
    Wall(
        "uk",
        "maintenance",
        "Технічні роботи",
        "Сайт тимчасово недоступний",
        ("Проводяться технічні роботи, спробуйте пізніше.",),
    ),
    # --- Japanese, Chinese, Korean
    Wall(
        "ja",
        "soft_404",
        "ページが見つかりません",
        "お探しのページは見つかりませんでした",
        ("ページが移動または削除された可能性があります。",),
        ("トップページへ戻る",),
    ),
    Wall(
        "ja",
        "login_wall",
        "ログイン",
        "ログインしてください",
        ("この文書を閲覧するには会員ログインが必要です。パスワードをお忘れの方はこちら。",),
        ("ログイン",),
        LOGIN_FORM,
    ),
    Wall(
        "ja",
        "consent_wall",
        "プライバシー設定",
        "続行する前に",
        ("当サイトではクッキーを使用しています。利用目的ごとに選択できます。",),
        ("すべて同意する", "拒否する", "設定"),
        CHOICES,
    ),
    Wall(
        "ja",
        "bot_wall",
        "セキュリティチェック",
        "ロボットではないことを確認してください",
        ("通常と異なるアクセスが検出されました。",),
        (),
        CAPTCHA,
    ),
    Wall(
        "ja",
        "maintenance",
        "メンテナンス中",
        "ただいまメンテナンス中です",
        ("ご不便をおかけして申し訳ございません。しばらくお待ちください。",),
    ),
    Wall(
        "ja",
        "waiting_room",
        "順番待ち",
        "ただいまアクセスが集中しています",
        ("順番が来るまでお待ちください。画面は自動的に更新されます。",),
        (),
        RELOAD,
    ),
    Wall(
        "zh",
        "soft_404",
        "404 - 页面不存在",
        "抱歉，您访问的页面不存在",
        ("该页面可能已被删除或更改了地址。",),
        ("返回首页",),
    ),
    Wall(
        "zh",
        "login_wall",
        "用户登录",
        "请先登录",
        ("登录后才能查看该文件。忘记密码？",),
        ("登录",),
        LOGIN_FORM,
    ),
    Wall(
        "zh",
        "bot_wall",
        "安全验证",
        "请完成安全验证",
        ("检测到异常流量，请拖动滑块完成拼图。",),
        (),
        '<script src="https://static.geetest.com/v4/gt4.js"></script>',
    ),
    Wall(
        "zh",
        "maintenance",
        "系统维护",
        "系统维护中",
        ("为了提供更好的服务，系统正在升级，请稍后再试。",),
    ),
    Wall(
        "zh",
        "waiting_room",
        "排队中",
        "当前访问人数过多",
        ("您前面还有 320 人，页面将自动刷新。",),
        (),
        RELOAD,
    ),
    Wall(
        "ko",
        "soft_404",
        "페이지를 찾을 수 없습니다",
        "요청하신 페이지를 찾을 수 없습니다",
        ("주소가 변경되었거나 삭제되었을 수 있습니다.",),
        ("홈으로 이동",),
    ),
    Wall(
        "ko",
        "login_wall",
        "로그인",
        "로그인이 필요합니다",
        ("이 문서를 보려면 로그인해 주세요. 비밀번호를 잊으셨나요?",),
        ("로그인",),
        LOGIN_FORM,
    ),
    Wall(
        "ko",
        "maintenance",
        "서비스 점검 안내",
        "서비스 점검 중입니다",
        ("더 나은 서비스를 위해 점검을 진행하고 있습니다. 이용에 불편을 드려 죄송합니다.",),
    ),
    # --- Arabic, Hebrew, Hindi, Turkish, Greek, Swedish, Czech, Finnish, Vietnamese, Thai
    Wall(
        "ar",
        "soft_404",
        "الصفحة غير موجودة",
        "عذرا، الصفحة غير موجودة",
        ("ربما تم حذف الصفحة أو تغيير عنوانها.",),
        ("العودة إلى الرئيسية",),
    ),
    Wall(
        "ar",
        "login_wall",
        "تسجيل الدخول",
        "تسجيل الدخول",
        ("يجب تسجيل الدخول لعرض هذا المستند. نسيت كلمة المرور؟",),
        ("دخول",),
        LOGIN_FORM,
    ),
    Wall(
        "ar", "maintenance", "صيانة", "الموقع تحت الصيانة", ("الموقع غير متاح مؤقتا، سنعود قريبا.",)
    ),
    Wall(
        "he",
        "soft_404",
        "הדף לא נמצא",
        "הדף שחיפשת לא נמצא",
        ("ייתכן שהדף הוסר או שהכתובת השתנתה.",),
        ("חזרה לדף הבית",),
    ),
    Wall(
        "hi",
        "soft_404",
        "पृष्ठ नहीं मिला",
        "क्षमा करें, यह पृष्ठ उपलब्ध नहीं है",
        ("हो सकता है कि पृष्ठ हटा दिया गया हो।",),
        ("होम पेज पर जाएं",),
    ),
    Wall(
        "tr",
        "soft_404",
        "Sayfa bulunamadı",
        "Aradığınız sayfa bulunamadı",
        ("Sayfa kaldırılmış ya da adresi değişmiş olabilir.",),
        ("Ana sayfaya dön",),
    ),
    Wall(
        "tr",
        "maintenance",
        "Bakım çalışması",
        "Kısa süre sonra buradayız",
        ("Planlı bakım nedeniyle sitemiz geçici olarak hizmet dışıdır.",),
    ),
    Wall(
        "el",
        "soft_404",
        "Η σελίδα δεν βρέθηκε",
        "Η σελίδα δεν βρέθηκε",
        ("Ίσως η σελίδα έχει μετακινηθεί ή διαγραφεί.",),
        ("Επιστροφή στην αρχική",),
    ),
    Wall(
        "sv",
        "soft_404",
        "Sidan hittades inte",
        "Sidan kunde inte hittas",
        ("Den kan ha flyttats eller tagits bort.",),
        ("Till startsidan",),
    ),
    Wall(
        "sv",
        "maintenance",
        "Underhåll",
        "Vi är snart tillbaka",
        ("Webbplatsen är tillfälligt stängd för underhåll.",),
    ),
    Wall(
        "cs",
        "soft_404",
        "Stránka nenalezena",
        "Stránka nebyla nalezena",
        ("Stránka mohla být přesunuta nebo smazána.",),
        ("Zpět na hlavní stránku",),
    ),
    Wall(
        "fi",
        "soft_404",
        "Sivua ei löydy",
        "Hakemaasi sivua ei löytynyt",
        ("Sivu on ehkä siirretty tai poistettu.",),
        ("Etusivulle",),
    ),
    Wall(
        "vi",
        "soft_404",
        "Không tìm thấy trang",
        "Không tìm thấy trang",
        ("Trang bạn yêu cầu không tồn tại hoặc đã bị xóa.",),
        ("Về trang chủ",),
    ),
    Wall(
        "th",
        "soft_404",
        "ไม่พบหน้าที่ต้องการ",
        "ไม่พบหน้าที่คุณกำลังค้นหา",
        ("หน้านี้อาจถูกลบหรือย้ายไปที่อื่น",),
        ("กลับหน้าแรก",),
    ),
)


def bare(wall: Wall) -> str:
    """The page with nothing around it."""
    head = f"<title>{wall.title}</title>" + (wall.extras if wall.extras == RELOAD else "")
    heading = f"<h1>{wall.heading}</h1>" if wall.heading else ""
    paragraphs = "".join(f"<p>{text}</p>" for text in wall.paragraphs)
    buttons = "".join(f"<button>{label}</button>" for label in wall.buttons)
    extras = "" if wall.extras == RELOAD else wall.extras
    return (
        f'<!doctype html><html lang="{wall.language}"><head><meta charset="utf-8">{head}</head>'
        f"<body>{heading}{paragraphs}{extras}{buttons}</body></html>"
    )


def dressed(wall: Wall) -> str:
    """The page in a site's usual frame: menu, footer with a disclaimer, scripts."""
    menu = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(12))
    links = "".join(f'<a href="/f{n}">Footer link {n}</a> ' for n in range(20))
    body = bare(wall)
    start, end = body.index("<body>") + 6, body.rindex("</body>")
    frame_top = f'<div class="top"><ul class="menu">{menu}</ul></div><div class="content">'
    frame_end = (
        f'</div><div class="bottom">{links}<p>© 2026 Example Ltd. Registered in England and '
        "Wales under number 01234567.</p></div><script>window.dataLayer=[];</script>"
    )
    return body[:start] + frame_top + body[start:end] + frame_end + body[end:]
