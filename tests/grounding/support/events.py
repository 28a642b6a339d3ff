# ruff: noqa: E501
"""Passages with several dates, and claims that say one of them of its own event, or of another one's."""

from __future__ import annotations

from typing import NamedTuple


class Events(NamedTuple):
    """A passage; and claims with a place for a date, the date of each event, and that of another event."""

    passage: str
    claims: tuple[tuple[str, str, str], ...]


EVENTS: dict[str, tuple[Events, ...]] = {
    "en": (
        Events(
            "The Brenn Museum was founded in 1904 by the collector Ilse Maar. A fire destroyed its east wing in 1951, "
            "and the new glass hall was opened in 1997. The shop sells tea from Ostal.",
            (
                ("The east wing of the museum was destroyed by a fire in {}.", "1951", "1997"),
                ("The museum's new hall of glass opened in {}.", "1997", "1951"),
            ),
        ),
        Events(
            "Applications for the autumn course must be sent in by 30 June; the course itself begins on 5 September. "
            "The exam takes place on 12 December in the town hall.",
            (
                ("The autumn course begins on {}.", "5 September", "30 June"),
                ("The exam will be held on {}.", "12 December", "5 September"),
            ),
        ),
        Events(
            "The ferry Lunara was built in Tarsk in 1968 and sold to a Greek owner in 1989. Since 2005 it has been used "
            "as a hotel in the port of Velmar.",
            (
                ("The ferry Lunara was sold to an owner in Greece in {}.", "1989", "1968"),
                ("The Lunara has served as a hotel since {}.", "2005", "1989"),
            ),
        ),
        Events(
            "In April the farmers of Ostal plant their potatoes, in August they harvest them. The market in Kerben opens "
            "in May and closes in October.",
            (
                ("The farmers of Ostal harvest potatoes in {}.", "August", "April"),
                ("The market in Kerben closes in {}.", "October", "May"),
            ),
        ),
        Events(
            "The library opens at 9:00 and closes at 18:30. Guided tours start at 11:15 in the reading room; the "
            "children's hour begins at 15:00.",
            (
                ("Tours of the library start at {}.", "11:15", "15:00"),
                ("The hour for children begins at {}.", "15:00", "11:15"),
            ),
        ),
        Events(
            "Maren Holt became mayor of Liska in 2010. Her predecessor, Per Anders, died in 2013; the square in front of "
            "the town hall has borne his name since 2016.",
            (
                ("Per Anders died in the year {}.", "2013", "2010"),
                ("Maren Holt has been the mayor of Liska since {}.", "2010", "2016"),
            ),
        ),
    ),
    "de": (
        Events(
            "Das Brenn-Museum wurde 1904 von der Sammlerin Ilse Maar gegründet. 1951 zerstörte ein Brand den Ostflügel, "
            "und 1997 wurde die neue Glashalle eröffnet. Der Laden verkauft Tee aus Ostal.",
            (
                ("Der Ostflügel des Museums wurde {} durch einen Brand zerstört.", "1951", "1997"),
                ("Die neue Glashalle des Museums öffnete {}.", "1997", "1951"),
            ),
        ),
        Events(
            "Anmeldungen für den Herbstkurs sind bis zum 30. Juni einzureichen; der Kurs selbst beginnt am 5. September. "
            "Die Prüfung findet am 12. Dezember im Rathaus statt.",
            (
                ("Der Herbstkurs beginnt am {}.", "5. September", "30. Juni"),
                ("Die Prüfung wird am {} abgehalten.", "12. Dezember", "5. September"),
            ),
        ),
        Events(
            "Die Fähre Lunara wurde 1968 in Tarsk gebaut und 1989 an einen griechischen Eigner verkauft. Seit 2005 dient "
            "sie im Hafen von Velmar als Hotel.",
            (
                ("Verkauft wurde die Fähre Lunara {} an einen Eigner aus Griechenland.", "1989", "1968"),
                ("Die Lunara ist seit {} ein Hotel.", "2005", "1989"),
            ),
        ),
        Events(
            "Im April pflanzen die Bauern von Ostal ihre Kartoffeln, im August ernten sie sie. Der Markt in Kerben öffnet "
            "im Mai und schließt im Oktober.",
            (
                ("Die Bauern von Ostal ernten die Kartoffeln im {}.", "August", "April"),
                ("Der Markt in Kerben schließt im {}.", "Oktober", "Mai"),
            ),
        ),
        Events(
            "Die Bibliothek öffnet um 9:00 Uhr und schließt um 18:30 Uhr. Führungen beginnen um 11:15 Uhr im Lesesaal; "
            "die Kinderstunde fängt um 15:00 Uhr an.",
            (
                ("Führungen durch die Bibliothek beginnen um {} Uhr.", "11:15", "15:00"),
                ("Um {} Uhr fängt in der Bibliothek die Kinderstunde an.", "15:00", "11:15"),
            ),
        ),
        Events(
            "Maren Holt wurde 2010 Bürgermeisterin von Liska. Ihr Vorgänger Per Anders starb 2013; seit 2016 trägt der "
            "Platz vor dem Rathaus seinen Namen.",
            (
                ("Per Anders ist im Jahr {} gestorben.", "2013", "2010"),
                ("Maren Holt ist seit {} Bürgermeisterin von Liska.", "2010", "2016"),
            ),
        ),
    ),
    "ru": (
        Events(
            "Музей Бренна основала в 1904 году собирательница Ильзе Маар. В 1951 году пожар уничтожил восточное крыло, а "
            "в 1997 году открыли новый стеклянный зал. В лавке продают чай из Осталя.",
            (
                ("Восточное крыло музея было уничтожено пожаром в {} году.", "1951", "1997"),
                ("Новый стеклянный зал музея открылся в {} году.", "1997", "1951"),
            ),
        ),
        Events(
            "Заявки на осенний курс нужно подать до 30 июня; сам курс начинается 5 сентября. Экзамен проходит 12 декабря "
            "в ратуше.",
            (
                ("Осенний курс начинается {}.", "5 сентября", "30 июня"),
                ("Экзамен состоится {}.", "12 декабря", "5 сентября"),
            ),
        ),
        Events(
            "Паром «Лунара» построили в 1968 году в Тарске, а в 1989 году продали греческому владельцу. С 2005 года он "
            "служит гостиницей в порту Велмар.",
            (
                ("Паром «Лунара» был продан греческому владельцу в {} году.", "1989", "1968"),
                ("«Лунара» стала гостиницей в {} году.", "2005", "1989"),
            ),
        ),
        Events(
            "В апреле крестьяне Осталя сажают картофель, в августе убирают его. Рынок в Кербене открывается в мае и "
            "закрывается в октябре.",
            (
                ("Крестьяне Осталя убирают картофель в {}.", "августе", "апреле"),
                ("Рынок в Кербене закрывается в {}.", "октябре", "мае"),
            ),
        ),
        Events(
            "Библиотека открывается в 9:00 и закрывается в 18:30. Экскурсии начинаются в 11:15 в читальном зале; детский "
            "час начинается в 15:00.",
            (
                ("Экскурсии по библиотеке начинаются в {}.", "11:15", "15:00"),
                ("Детский час в библиотеке начинается в {}.", "15:00", "11:15"),
            ),
        ),
        Events(
            "Марен Хольт стала мэром Лиски в 2010 году. Её предшественник Пер Андерс умер в 2013 году; с 2016 года "
            "площадь перед ратушей носит его имя.",
            (
                ("Пер Андерс скончался в {} году.", "2013", "2010"),
                ("Марен Хольт — мэр Лиски с {} года.", "2010", "2016"),
            ),
        ),
    ),
    "fr": (
        Events(
            "Le musée Brenn a été fondé en 1904 par la collectionneuse Ilse Maar. Un incendie a détruit l’aile est en "
            "1951, et la nouvelle salle de verre a ouvert en 1997. La boutique vend du thé d’Ostal.",
            (
                ("L’aile est du musée a été détruite par un incendie en {}.", "1951", "1997"),
                ("La nouvelle salle de verre du musée a été ouverte en {}.", "1997", "1951"),
            ),
        ),
        Events(
            "Les inscriptions au cours d’automne sont à envoyer avant le 30 juin ; le cours lui-même commence le "
            "5 septembre. L’examen a lieu le 12 décembre à l’hôtel de ville.",
            (
                ("Le cours d’automne commence le {}.", "5 septembre", "30 juin"),
                ("L’examen se tiendra le {}.", "12 décembre", "5 septembre"),
            ),
        ),
        Events(
            "Le ferry Lunara a été construit à Tarsk en 1968 et vendu à un armateur grec en 1989. Depuis 2005, il sert "
            "d’hôtel dans le port de Velmar.",
            (
                ("En {}, le ferry Lunara a été cédé à un armateur grec.", "1989", "1968"),
                ("Le Lunara est un hôtel depuis {}.", "2005", "1989"),
            ),
        ),
        Events(
            "En avril, les paysans d’Ostal plantent leurs pommes de terre, en août ils les récoltent. Le marché de "
            "Kerben ouvre en mai et ferme en octobre.",
            (
                ("Les paysans d’Ostal récoltent les pommes de terre en {}.", "août", "avril"),
                ("Le marché de Kerben ferme en {}.", "octobre", "mai"),
            ),
        ),
        Events(
            "La bibliothèque ouvre à 9 h et ferme à 18 h 30. Les visites guidées commencent à 11 h 15 dans la salle de "
            "lecture ; l’heure des enfants débute à 15 h.",
            (
                ("Les visites de la bibliothèque commencent à {}.", "11 h 15", "15 h"),
                ("L’heure des enfants commence à {}.", "15 h", "11 h 15"),
            ),
        ),
        Events(
            "Maren Holt est devenue maire de Liska en 2010. Son prédécesseur, Per Anders, est mort en 2013 ; la place "
            "devant l’hôtel de ville porte son nom depuis 2016.",
            (
                ("Per Anders est décédé en {}.", "2013", "2010"),
                ("Maren Holt est maire de Liska depuis {}.", "2010", "2016"),
            ),
        ),
    ),
    "es": (
        Events(
            "El museo Brenn fue fundado en 1904 por la coleccionista Ilse Maar. Un incendio destruyó el ala este en 1951, "
            "y la nueva sala de cristal se abrió en 1997. La tienda vende té de Ostal.",
            (
                ("El ala este del museo fue destruida por un incendio en {}.", "1951", "1997"),
                ("La nueva sala de cristal del museo abrió en {}.", "1997", "1951"),
            ),
        ),
        Events(
            "Las solicitudes para el curso de otoño deben enviarse antes del 30 de junio; el curso empieza el 5 de "
            "septiembre. El examen tiene lugar el 12 de diciembre en el ayuntamiento.",
            (
                ("El curso de otoño empieza el {}.", "5 de septiembre", "30 de junio"),
                ("El examen se celebrará el {}.", "12 de diciembre", "5 de septiembre"),
            ),
        ),
        Events(
            "El transbordador Lunara se construyó en Tarsk en 1968 y se vendió a un armador griego en 1989. Desde 2005 "
            "sirve de hotel en el puerto de Velmar.",
            (
                ("En {} el transbordador Lunara pasó a un armador griego.", "1989", "1968"),
                ("El Lunara es un hotel desde {}.", "2005", "1989"),
            ),
        ),
        Events(
            "En abril los campesinos de Ostal plantan sus patatas, en agosto las cosechan. El mercado de Kerben abre en "
            "mayo y cierra en octubre.",
            (
                ("Los campesinos de Ostal cosechan las patatas en {}.", "agosto", "abril"),
                ("El mercado de Kerben cierra en {}.", "octubre", "mayo"),
            ),
        ),
        Events(
            "La biblioteca abre a las 9:00 y cierra a las 18:30. Las visitas guiadas empiezan a las 11:15 en la sala de "
            "lectura; la hora de los niños comienza a las 15:00.",
            (
                ("Las visitas de la biblioteca empiezan a las {}.", "11:15", "15:00"),
                ("La hora de los niños empieza a las {}.", "15:00", "11:15"),
            ),
        ),
        Events(
            "Maren Holt llegó a ser alcaldesa de Liska en 2010. Su predecesor, Per Anders, murió en 2013; la plaza del "
            "ayuntamiento lleva su nombre desde 2016.",
            (
                ("Per Anders falleció en {}.", "2013", "2010"),
                ("Maren Holt es alcaldesa de Liska desde {}.", "2010", "2016"),
            ),
        ),
    ),
    "zh": (
        Events(
            "布伦博物馆由收藏家伊尔泽·马尔于1904年创办。1951年一场火灾烧毁了东翼，1997年新的玻璃大厅开放。商店出售奥斯塔尔的茶叶。",
            (
                ("博物馆的东翼在{}毁于火灾。", "1951年", "1997年"),
                ("博物馆新的玻璃大厅于{}启用。", "1997年", "1951年"),
            ),
        ),
        Events(
            "秋季课程的报名须在6月30日前提交，课程本身于9月5日开始。考试于12月12日在市政厅举行。",
            (
                ("秋季课程{}开始。", "9月5日", "6月30日"),
                ("考试定在{}。", "12月12日", "9月5日"),
            ),
        ),
        Events(
            "渡轮卢纳拉号1968年在塔斯克建造，1989年卖给了一位希腊船东。自2005年起，它在韦尔马港用作旅馆。",
            (
                ("卢纳拉号渡轮在{}被卖给希腊的船东。", "1989年", "1968年"),
                ("{}以来，卢纳拉号是一家旅馆。", "2005年", "1989年"),
            ),
        ),
        Events(
            "奥斯塔尔的农民四月种土豆，八月收土豆。科尔本的市场五月开业，十月关闭。",
            (
                ("奥斯塔尔的农民在{}收土豆。", "八月", "四月"),
                ("科尔本的市场{}关闭。", "十月", "五月"),
            ),
        ),
        Events(
            "图书馆9:00开门，18:30关门。导览11:15在阅览室开始；儿童时间15:00开始。",
            (
                ("图书馆的导览{}开始。", "11:15", "15:00"),
                ("图书馆的儿童时间从{}开始。", "15:00", "11:15"),
            ),
        ),
        Events(
            "马伦·霍尔特2010年就任利斯卡市长。她的前任佩尔·安德斯2013年去世；市政厅前的广场自2016年起以他的名字命名。",
            (
                ("佩尔·安德斯在{}逝世。", "2013年", "2010年"),
                ("马伦·霍尔特从{}起担任利斯卡市长。", "2010年", "2016年"),
            ),
        ),
    ),
    "ja": (
        Events(
            "ブレン博物館は1904年に収集家イルゼ・マールが創設した。1951年に火災で東棟が焼失し、1997年に新しいガラスのホールが開館した。売店では"
            "オスタルの茶を売っている。",
            (
                ("博物館の東棟は{}に火災で失われた。", "1951年", "1997年"),
                ("博物館の新しいガラスのホールは{}に開いた。", "1997年", "1951年"),
            ),
        ),
        Events(
            "秋の講座の申し込みは6月30日までに提出する。講座は9月5日に始まる。試験は12月12日に市役所で行われる。",
            (
                ("秋の講座は{}に始まる。", "9月5日", "6月30日"),
                ("試験の日は{}だ。", "12月12日", "9月5日"),
            ),
        ),
        Events(
            "フェリー「ルナラ」は1968年にタルスクで建造され、1989年にギリシャの船主に売られた。2005年からはヴェルマル港でホテルとして使われている。",
            (
                ("フェリー「ルナラ」は{}にギリシャの船主へ売却された。", "1989年", "1968年"),
                ("「ルナラ」は{}からホテルになっている。", "2005年", "1989年"),
            ),
        ),
        Events(
            "オスタルの農家は4月にじゃがいもを植え、8月に収穫する。ケルベンの市場は5月に開き、10月に閉まる。",
            (
                ("オスタルの農家はじゃがいもを{}に収穫する。", "8月", "4月"),
                ("ケルベンの市場は{}に閉まる。", "10月", "5月"),
            ),
        ),
        Events(
            "図書館は9時に開き、18時30分に閉まる。館内ツアーは11時15分に閲覧室で始まり、子どもの時間は15時に始まる。",
            (
                ("図書館の館内ツアーは{}に始まる。", "11時15分", "15時"),
                ("図書館の子どもの時間は{}からだ。", "15時", "11時15分"),
            ),
        ),
        Events(
            "マレン・ホルトは2010年にリスカの市長になった。前任のペール・アンデルスは2013年に亡くなり、市役所前の広場は2016年から彼の名で呼ばれている。",
            (
                ("ペール・アンデルスは{}に死去した。", "2013年", "2010年"),
                ("マレン・ホルトは{}からリスカの市長だ。", "2010年", "2016年"),
            ),
        ),
    ),
    "ko": (
        Events(
            "브렌 박물관은 1904년에 수집가 일제 마르가 세웠다. 1951년에 화재로 동관이 타 버렸고, 1997년에 새 유리 홀이 문을 열었다. 가게에서는 "
            "오스탈의 차를 판다.",
            (
                ("박물관의 동관은 {}에 화재로 없어졌다.", "1951년", "1997년"),
                ("박물관의 새 유리 홀은 {}에 개관했다.", "1997년", "1951년"),
            ),
        ),
        Events(
            "가을 강좌 신청서는 6월 30일까지 내야 한다. 강좌는 9월 5일에 시작한다. 시험은 12월 12일에 시청에서 치른다.",
            (
                ("가을 강좌는 {}에 시작한다.", "9월 5일", "6월 30일"),
                ("시험일은 {}이다.", "12월 12일", "9월 5일"),
            ),
        ),
        Events(
            "여객선 루나라호는 1968년에 타르스크에서 건조되었고 1989년에 그리스 선주에게 팔렸다. 2005년부터는 벨마르 항구에서 호텔로 쓰인다.",
            (
                ("여객선 루나라호는 {}에 그리스의 선주에게 매각되었다.", "1989년", "1968년"),
                ("루나라호는 {}부터 호텔이다.", "2005년", "1989년"),
            ),
        ),
        Events(
            "오스탈의 농부들은 4월에 감자를 심고 8월에 수확한다. 케르벤의 시장은 5월에 열고 10월에 닫는다.",
            (
                ("오스탈의 농부들은 감자를 {}에 수확한다.", "8월", "4월"),
                ("케르벤의 시장은 {}에 닫는다.", "10월", "5월"),
            ),
        ),
        Events(
            "도서관은 9시에 열고 18시 30분에 닫는다. 안내 관람은 11시 15분에 열람실에서 시작하고, 어린이 시간은 15시에 시작한다.",
            (
                ("도서관의 안내 관람은 {}에 시작한다.", "11시 15분", "15시"),
                ("도서관의 어린이 시간은 {}부터이다.", "15시", "11시 15분"),
            ),
        ),
        Events(
            "마렌 홀트는 2010년에 리스카 시장이 되었다. 전임자 페르 안데르스는 2013년에 죽었고, 시청 앞 광장은 2016년부터 그의 이름으로 불린다.",
            (
                ("페르 안데르스는 {}에 사망했다.", "2013년", "2010년"),
                ("마렌 홀트는 {}부터 리스카의 시장이다.", "2010년", "2016년"),
            ),
        ),
    ),
    "ar": (
        Events(
            "أسست جامعة التحف إلزه مار متحف برين عام 1904. دمر حريق الجناح الشرقي عام 1951، وافتتحت القاعة الزجاجية الجديدة عام 1997.",
            (
                ("دمر حريق الجناح الشرقي للمتحف عام {}.", "1951", "1997"),
                ("افتتحت قاعة المتحف الزجاجية الجديدة عام {}.", "1997", "1951"),
            ),
        ),
        Events(
            "بنيت العبارة لونارا في تارسك عام 1968 وبيعت إلى مالك يوناني عام 1989. ومنذ عام 2005 تستخدم فندقا في ميناء فيلمار.",
            (
                ("بيعت العبارة لونارا إلى مالك يوناني عام {}.", "1989", "1968"),
                ("العبارة لونارا فندق منذ عام {}.", "2005", "1989"),
            ),
        ),
    ),
    "hi": (
        Events(
            "ब्रेन संग्रहालय की स्थापना 1904 में इल्ज़े मार ने की। 1951 में आग से पूर्वी भाग नष्ट हो गया, और 1997 में नया काँच का हॉल खुला।",
            (
                ("संग्रहालय का पूर्वी भाग {} में आग से नष्ट हुआ।", "1951", "1997"),
                ("संग्रहालय का नया काँच का हॉल {} में खोला गया।", "1997", "1951"),
            ),
        ),
        Events(
            "नौका लूनारा 1968 में तार्स्क में बनी और 1989 में एक यूनानी मालिक को बेची गई। 2005 से वह वेलमार बंदरगाह में होटल है।",
            (
                ("नौका लूनारा {} में यूनान के मालिक को बेच दी गई।", "1989", "1968"),
                ("लूनारा {} से होटल है।", "2005", "1989"),
            ),
        ),
    ),
    "th": (
        Events(
            "พิพิธภัณฑ์เบรนน์ก่อตั้งในปี 1904 โดยอิลเซ มาร์ ไฟไหม้ทำลายปีกตะวันออกในปี 1951 และโถงกระจกแห่งใหม่เปิดในปี 1997",
            (
                ("ไฟไหม้ทำลายปีกตะวันออกของพิพิธภัณฑ์ในปี {}", "1951", "1997"),
                ("โถงกระจกแห่งใหม่ของพิพิธภัณฑ์เปิดในปี {}", "1997", "1951"),
            ),
        ),
        Events(
            "เรือเฟอร์รี่ลูนาราสร้างที่ทาร์สค์ในปี 1968 และขายให้เจ้าของชาวกรีกในปี 1989 ตั้งแต่ปี 2005 ใช้เป็นโรงแรมที่ท่าเรือเวลมาร์",
            (
                ("เรือเฟอร์รี่ลูนาราขายให้เจ้าของชาวกรีซในปี {}", "1989", "1968"),
                ("ลูนาราเป็นโรงแรมตั้งแต่ปี {}", "2005", "1989"),
            ),
        ),
    ),
}
